// Flows that the check accepts with a warning about what a node does with a value: conditions, texts, variables and
// headers.
import { branch, classify, type Doubt, end, reading, request } from './doubtful-flows.ts';
import { http, with_, withNode } from './faulty-flows.ts';

export const choosing = (when: string, more: object = {}) => ({
  ...withNode({ type: 'switch', cases: [{ when: `{{ ${when} }}`, next: 'b' }], default: 'c' }),
  nodes: {
    a: { type: 'switch', cases: [{ when: `{{ ${when} }}`, next: 'b' }], default: 'c' },
    b: end({}),
    c: end({}),
  },
  ...more,
});
const condition = 'condition_not_boolean /nodes/a/cases/0/when';

export const conditions: readonly Doubt[] = [
  [
    'a text',
    choosing('"yes"'),
    condition,
    'a condition is true or false, and this is a text: expected a comparison',
  ],
  ['a number', choosing('1'), condition, 'this is a number'],
  ['null', choosing('null'), condition, 'this is null'],
  ['the message', choosing('input.message'), condition, 'this is a text'],
  ['a sum', choosing('state.n + 1', { state: { n: 0 } }), condition, 'this is a number'],
  ['a count', choosing('$count(input.user_variables.xs)'), condition, '`$boolean(…)`'],
  ['texts that are joined', choosing('"a" & input.message'), condition, 'this is a text'],
  ['a list', choosing('[input.message]'), condition, 'this is a list'],
  ['an object', choosing('{"a": 1}'), condition, 'this is an object'],
  ['one of two texts', choosing('input.event ? "a" : "b"'), condition, 'this is a text'],
  ['a text or nothing', choosing('input.event ? "a"'), condition, 'this is a text'],
  ['a text in parentheses', choosing('(input.message)'), condition, 'this is a text'],
  ['matches', choosing('$match(input.message, /a/)'), condition, 'this is an object'],
  [
    'a variable that is a number by its schema',
    choosing('input.user_variables.n', { input: { properties: { n: { type: 'integer' } } } }),
    condition,
    'this is a number',
  ],
  [
    'a member that is a text by its schema',
    {
      ...with_({}),
      nodes: {
        a: { ...classify, next: 's' },
        s: { type: 'switch', cases: [{ when: '{{ nodes.a.kind }}', next: 'b' }], default: 'c' },
        b: end({}),
        c: end({}),
      },
    },
    'condition_not_boolean /nodes/s/cases/0/when',
    'this is a text',
  ],
];

export const list = {
  properties: { names: { type: 'array', items: { type: 'string' } }, who: { type: 'object' } },
};
export const said = (text: string, more: object = {}) => ({
  ...withNode({ type: 'reply', text, next: 'b' }),
  ...more,
});

export const objects: readonly Doubt[] = [
  [
    'an object that the expression makes',
    said('R: {{ {"a": input.message} }}'),
    'object_in_text /nodes/a/text',
    'an object is written as JSON inside text: expected a text, or $string(…) if JSON is meant',
  ],
  [
    'a list that is joined',
    said('{{ "R: " & [1, 2] }}'),
    'object_in_text /nodes/a/text',
    'a list is written',
  ],
  [
    'the input',
    said('Hello {{ input }}'),
    'object_in_text /nodes/a/text',
    'input is written as JSON inside text: expected `input.message`',
  ],
  [
    'an object by its schema',
    said('Hello {{ input.user_variables.who }}', { input: list }),
    'object_in_text /nodes/a/text',
    'expected one of its members, or $string(input.user_variables.who) if JSON is meant',
  ],
  [
    'a list by its schema',
    said('Hello {{ input.user_variables.names }}', { input: list }),
    'object_in_text /nodes/a/text',
    '`$join(input.user_variables.names, ", ")`',
  ],
  [
    'the output of an agent',
    reading({ type: 'agent', instructions: 'x' }, '"Answer: " & nodes.a'),
    'object_in_text /nodes/b/output/text',
    'expected a member, such as nodes.a.text',
  ],
  [
    'an answer of http in a prompt',
    {
      ...with_({}),
      nodes: {
        a: { ...request, next: 'l' },
        l: { type: 'llm', prompt: 'See {{ nodes.a }}', next: 'b' },
        b: end({}),
      },
    },
    'object_in_text /nodes/l/prompt',
    'such as nodes.a.body',
  ],
];

export const both = (nodes: object, more: object = {}) => ({
  ...withNode({ type: 'parallel', branches: { one: { start: 'x', nodes } }, next: 'b' }),
  ...more,
});
export const setting = (assign: object, more: object = {}) => ({
  type: 'transform',
  output: 1,
  assign,
  ...more,
});

export const losses: readonly Doubt[] = [
  [
    'a variable that nothing reads',
    both({ x: setting({ found: true }) }),
    'assignment_lost /nodes/a/branches/one/nodes/x/assign/found',
    'state.found is set in a copy of the state that ends with this scope, and nothing in the scope reads it: expected the value in the output of the last node of the scope',
  ],
  [
    'a variable that is set when an error is caught',
    both({
      x: { ...request, catch: [{ on: ['*'], next: 'y', assign: { failed: true } }], next: 'y' },
      y: { type: 'transform', output: 1 },
    }),
    'assignment_lost /nodes/a/branches/one/nodes/x/catch/0/assign/failed',
    'nothing in the scope reads it',
  ],
  [
    'a sum over the items of a map',
    {
      ...with_({ state: { sum: 0 } }),
      nodes: {
        a: { type: 'map', items: [1], body: branch(setting({ sum: '{{ state.sum + item }}' })), next: 'b' },
        b: end({ sum: '{{ state.sum }}' }),
      },
    },
    'assignment_lost /nodes/a/body/nodes/x/assign/sum',
    'nothing in the scope reads it',
  ],
  [
    'a variable that a branch reads, and a node after it',
    {
      ...with_({ state: { n: 0 } }),
      nodes: {
        a: {
          type: 'parallel',
          branches: {
            one: {
              start: 'x',
              nodes: {
                x: setting({ n: 1 }, { next: 'y' }),
                y: { type: 'transform', output: '{{ state.n }}' },
              },
            },
          },
          next: 'b',
        },
        b: end({ n: '{{ state.n }}' }),
      },
    },
    'assignment_lost /nodes/a/branches/one/nodes/x/assign/n',
    '"b", after it, reads the value that state.n had before',
  ],
];

const secret = 'literal_secret /nodes/a/headers';
export const secrets: readonly Doubt[] = [
  [
    'a token',
    http({ headers: { Authorization: 'Bearer sk-123' } }),
    `${secret}/Authorization`,
    'a credential in "Authorization" can be read by everybody who reads the flow: expected it in a connection, named by `connection`',
  ],
  ['a key', http({ headers: { 'x-api-key': 'abc' } }), `${secret}/x-api-key`, 'x-api-key'],
  [
    'a key of a product',
    http({ headers: { 'X-Shop-Access-Token': 'shpat_0123456789' } }),
    `${secret}/X-Shop-Access-Token`,
    'connection',
  ],
  [
    'a text in quotes',
    http({ headers: { Authorization: "{{ 'Bearer abc' }}" } }),
    `${secret}/Authorization`,
    'Authorization',
  ],
  ...[
    'sk-proj-0123456789abcdefghij',
    'Token xoxb-0123456789-abc',
    `{{ 'Bearer ' & 'ghp_${'a1'.repeat(18)}' }}`,
    'AKIAIOSFODNN7EXAMPLE',
  ].map((value) => [value, http({ headers: { 'x-other': value } }), `${secret}/x-other`, 'x-other'] as const),
  ...['api_key', 'key', 'access_token', 'token'].flatMap((name) => [
    [
      `the parameter ${name}`,
      http({ query: { [name]: '0123456789abcdef' } }),
      `literal_secret /nodes/a/query/${name}`,
      `"${name}"`,
    ] as const,
    [
      `the parameter ${name} in a URL`,
      http({ url: `https://api.example.com/x?q=1&${name}=0123456789abcdef` }),
      'literal_secret /nodes/a/url',
      `"${name}"`,
    ] as const,
  ]),
  [
    'a key of a tool',
    withNode({
      type: 'agent',
      instructions: 'x',
      tools: [
        {
          name: 't',
          description: 'x',
          http: { ...request, type: undefined, headers: { authorization: 'Basic eDp5' } },
        },
      ],
      next: 'b',
    }),
    'literal_secret /nodes/a/tools/0/http/headers/authorization',
    'connection',
  ],
];
