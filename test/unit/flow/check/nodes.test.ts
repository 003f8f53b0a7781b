// What `checkFlow` says about the fields of each node type and about expressions.
import { expect, test } from 'vitest';
import { limits } from '#lib/flow/format/limits.ts';
import { expression, http, llm, mistakes, transform, valid, with_, withNode } from './faulty-flows.ts';

const awsHost = 'bedrock-agent-runtime.eu-central-1.amazonaws.com';

const table: readonly (readonly [string, unknown, string, string])[] = [
  // switch
  [
    'no default',
    withNode({ type: 'switch', cases: [{ when: '{{ true }}', next: 'b' }] }),
    '/nodes/a/default',
    'required',
  ],
  [
    'no case',
    withNode({ type: 'switch', cases: [], default: 'b' }),
    '/nodes/a/cases',
    'must have at least 1 item',
  ],
  [
    'an unknown case target',
    withNode({ type: 'switch', cases: [{ when: '{{ true }}', next: 'c' }], default: 'b' }),
    '/nodes/a/cases/0/next',
    'unknown node "c"',
  ],
  [
    'an unknown default',
    withNode({ type: 'switch', cases: [{ when: '{{ true }}', next: 'b' }], default: 'c' }),
    '/nodes/a/default',
    'unknown node "c"',
  ],
  [
    'a condition that is text',
    withNode({ type: 'switch', cases: [{ when: 'x {{ true }}', next: 'b' }], default: 'b' }),
    '/nodes/a/cases/0/when',
    'one expression',
  ],
  [
    'a condition that is not closed',
    withNode({ type: 'switch', cases: [{ when: '{{ "}}', next: 'b' }], default: 'b' }),
    '/nodes/a/cases/0/when',
    'expected "}}"',
  ],
  // end, reply, fail
  [
    'a response that is no object',
    with_({ nodes: { ...valid.nodes, b: { type: 'end', output: [1] } } }),
    '/nodes/b/output',
    'expected an object',
  ],
  [
    'arguments that are text',
    withNode({ type: 'mcp', server: 'https://x.example/mcp', tool: 't', arguments: 'text', next: 'b' }),
    '/nodes/a/arguments',
    'expected an object',
  ],
  [
    'a tool that data would choose',
    withNode({ type: 'mcp', server: 'https://x.example/mcp', tool: '{{ input.message }}', next: 'b' }),
    '/nodes/a/tool',
    'expected no expression',
  ],
  [
    'variables that are text',
    withNode({ type: 'flow', flowid: 'other', user_variables: 'text', next: 'b' }),
    '/nodes/a/user_variables',
    'expected an object',
  ],
  ['a reply of nothing', withNode({ type: 'reply', next: 'b' }), '/nodes/a', '`text`, `data` or `file`'],
  [
    'a fail that retries',
    with_({ nodes: { ...valid.nodes, b: { type: 'fail', message: 'x', retry: {} } } }),
    '/nodes/b/retry',
    'unknown field',
  ],
  // llm
  ['no prompt', llm({ prompt: undefined }), '/nodes/a', 'either `prompt` or `messages`'],
  ['prompt and messages', llm({ messages: [{ role: 'user', content: 'x' }] }), '/nodes/a', 'either'],
  [
    'a text that is streamed and an object',
    llm({ stream: true, output_schema: { type: 'object' } }),
    '/nodes/a/stream',
    'no `stream` together with `output_schema`',
  ],
  ['an unknown model', llm({ model: 'big' }), '/nodes/a/model', 'unknown model "big": expected one of fast'],
  [
    'a schema that is none',
    llm({ output_schema: { type: 'text' } }),
    '/nodes/a/output_schema/type',
    'expected one of object',
  ],
  [
    'a schema keyword that is not supported',
    llm({ output_schema: { properties: { x: { if: {} } } } }),
    '/nodes/a/output_schema/properties/x/if',
    'not supported',
  ],
  // http
  [
    'a host that is not in egress',
    http({ url: 'https://evil.example/x' }),
    '/nodes/a/url',
    'is not in `egress`: expected one of api.example.com',
  ],
  ['a host in userinfo', http({ url: 'https://api.example.com@evil.example/' }), '/nodes/a/url', 'user name'],
  [
    'a host by another notation',
    http({ url: 'https://0x7f.1/' }),
    '/nodes/a/url',
    '127.0.0.1 is not in `egress`',
  ],
  ['a templated host', http({ url: 'https://{{ state.host }}/x' }), '/nodes/a/url', 'the host are literal'],
  [
    'a templated end of the host',
    http({ url: 'https://api.example.com{{ state.x }}' }),
    '/nodes/a/url',
    'the host are literal',
  ],
  [
    'a URL of two expressions',
    http({ url: '{{ state.url }}{{ 1 }}' }),
    '/nodes/a/url',
    'the host are literal',
  ],
  [
    'a URL that is data, without egress',
    { ...http({ url: '{{ state.url }}' }), egress: [] },
    '/nodes/a/url',
    'expected the hosts that the URL may have in `egress`',
  ],
  ['a path with a query', http({ path: 'a?b=1' }), '/nodes/a/path', 'expected a path without "?"'],
  ['a path with a backslash', http({ path: 'a\\{{ state.x }}' }), '/nodes/a/path', 'expected a path without'],
  ['a part of no expression', http({ select: 'body.x' }), '/nodes/a/select', 'expected one expression'],
  [
    'a part of an unknown name',
    http({ select: '{{ response.x }}' }),
    '/nodes/a/select',
    'unknown name "response": expected input, state, env, nodes, run, body',
  ],
  ['a body outside of its part', http({ path: '{{ body.x }}' }), '/nodes/a/path', 'unknown name "body"'],
  [
    'a templated port',
    http({ url: 'https://api.example.com:{{ state.port }}/' }),
    '/nodes/a/url',
    'the host are literal',
  ],
  ['plain http', http({ url: 'http://api.example.com/' }), '/nodes/a/url', 'the scheme https'],
  ['another scheme', http({ url: 'file://api.example.com/' }), '/nodes/a/url', 'the scheme https'],
  ['a fragment', http({ url: 'https://api.example.com/#x' }), '/nodes/a/url', 'fragment'],
  [
    'an undeclared connection',
    http({ connection: 'crm' }),
    '/nodes/a/connection',
    'unknown connection "crm"',
  ],
  [
    'a connection that is for another host',
    {
      ...http({ connection: 'crm' }),
      connections: { crm: { type: 'http_bearer', hosts: ['crm.example'] } },
    },
    '/nodes/a/connection',
    'not for the host api.example.com',
  ],
  [
    'a role of AWS that is for another region than that of the host',
    {
      ...http({ connection: 'search', url: `https://${awsHost}/retrieve` }),
      egress: [awsHost],
      connections: {
        search: {
          type: 'aws_sigv4',
          hosts: [awsHost],
          aws: { services: ['bedrock'], regions: ['eu-west-1'] },
        },
      },
    },
    '/nodes/a/connection',
    'expected its service and region in `aws`',
  ],
  ['a body with GET', http({ body: {} }), '/nodes/a/body', 'expected no `body`, because'],
  ['a method that is none', http({ method: 'FETCH' }), '/nodes/a/method', '"GET"'],
  [
    'a header of the connection',
    http({ headers: { Host: 'x' } }),
    '/nodes/a/headers/Host',
    'belongs to the HTTP connection',
  ],
  ['a header name with a colon', http({ headers: { 'x:y': 'x' } }), '/nodes/a/headers/x:y', 'a header name'],
  // types, in plain words
  ['models as a list', with_({ models: [] }), '/models', 'must be an object, not a list'],
  ['a name that is a number', with_({ name: 7 }), '/name', 'must be text, not a number'],
  [
    'choices of no kind',
    withNode({ type: 'ask', prompt: 'x', choices: 4, next: 'b' }),
    '/nodes/a/choices',
    'must be a list or text, not a number',
  ],
  [
    'a choice of nothing, by its place in the list',
    withNode({ type: 'ask', prompt: 'x', choices: ['yes', ''], next: 'b' }),
    '/nodes/a/choices/1',
    'must have at least 1 character',
  ],
  // expressions
  [
    'an expression that does not parse',
    expression('1 +'),
    '/nodes/a/output/deep/0',
    'expected a value at the end, after the last operator',
  ],
  ['an expression that is not closed', transform({ output: '{{ 1' }), '/nodes/a/output', 'expected "}}"'],
  ['a denied function', expression('$eval("1")'), '/nodes/a/output/deep/0', '$eval is not available'],
  ['look-ahead', expression('$match("a", /(?=a)/)'), '/nodes/a/output/deep/0', 'not available'],
  [
    'too long an expression',
    expression(`"${'x'.repeat(limits.expressionCharsMax)}"`),
    '/nodes/a/output/deep/0',
    'at most 5120 characters',
  ],
  [
    'an unknown node in a bare path',
    expression('nodes.z.body'),
    '/nodes/a/output/deep/0',
    'unknown node "z"',
  ],
  [
    'an unknown node in the language',
    expression('nodes.z.body & "x"'),
    '/nodes/a/output/deep/0',
    'unknown node "z"',
  ],
  [
    'an unknown name',
    expression('vars.x'),
    '/nodes/a/output/deep/0',
    'unknown name "vars": expected input, state, env, nodes, run',
  ],
  [
    'an unknown input',
    expression('input.order_id'),
    '/nodes/a/output/deep/0',
    'unknown name "input.order_id"',
  ],
  [
    'a mistake in assign',
    transform({ assign: { x: '{{ nodes.z }}' } }),
    '/nodes/a/assign/x',
    'unknown node "z"',
  ],
  [
    'a mistake in the assign of a catch',
    transform({ catch: [{ on: ['*'], next: 'b', assign: { x: '{{ ( }}' } }] }),
    '/nodes/a/catch/0/assign/x',
    '{{ ( }}',
  ],
];

test.each(table)('a flow is refused for %s', (_name, flow, pointer, detail) => {
  expect(mistakes(flow)).toContainEqual({ pointer, detail: expect.stringContaining(detail) });
});

test('a flow of more expressions than can be looked at is refused once', () => {
  const output = Array.from({ length: limits.expressionsMax + 10 }, () => '{{ 1 + 1 }}');
  expect(mistakes(transform({ output }))).toEqual([
    {
      pointer: `/nodes/a/output/${limits.expressionsMax}`,
      detail: 'expected at most 5000 expressions in a flow',
    },
  ]);
});
