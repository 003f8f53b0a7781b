// What a mistake says of the name that was probably meant, and of operators of other languages.
import { describe, expect, test } from 'vitest';
import { nearName } from '#lib/flow/format/near-name.ts';
import { expression, http, llm, mistakes, valid, with_, withNode } from './faulty-flows.ts';

const crm = { connections: { crm_token: { type: 'http_bearer', hosts: ['api.example.com'] } } };
const tool = (fields: object) =>
  withNode({
    type: 'agent',
    instructions: 'x',
    tools: [{ name: 't', description: 'x', ...fields }],
    next: 'b',
  });

const suggestions: readonly (readonly [string, object, string])[] = [
  [
    'a field of a node',
    llm({ prompts: 'x' }),
    'unknown field: did you mean "prompt"? Expected one of type, title',
  ],
  ['a field in another notation', llm({ maxTokens: 1 }), 'did you mean "max_tokens"?'],
  ['a field of the flow', with_({ conections: {} }), 'did you mean "connections"?'],
  [
    'a field of a tool',
    tool({ mcp: 'https://api.example.com/', descriptio: 'x' }),
    'did you mean "description"?',
  ],
  [
    'a field of another kind of tool',
    tool({ flow: 'x', verify: 'none' }),
    'unknown field of a tool of kind flow: expected one of',
  ],
  [
    'a node type',
    withNode({ type: 'transfrom', output: 1 }),
    'unknown node type "transfrom": did you mean "transform"?',
  ],
  [
    'a next node',
    { ...valid, nodes: { a: { type: 'transform', output: 1, next: 'reports' }, report: valid.nodes.b } },
    'unknown node "reports": did you mean "report"? Expected one of a, report',
  ],
  [
    'the node of an expression',
    {
      ...valid,
      nodes: { order: valid.nodes.a, b: { type: 'end', output: { x: '{{ nodes.oder.x }}' } } },
      start: 'order',
    },
    'unknown node "oder" in nodes.oder: did you mean "nodes.order"?',
  ],
  [
    'a connection',
    { ...http({ connection: 'crm_tokn' }), ...crm },
    'unknown connection "crm_tokn": did you mean "crm_token"? Expected one of crm_token',
  ],
  ['a model', llm({ model: 'fats' }), 'unknown model "fats": did you mean "fast"? Expected one of fast'],
  [
    'a fallback',
    with_({ models: { fast: { model: 'x', fallback: 'chaep' }, cheap: {} } }),
    'unknown model "chaep": did you mean "cheap"?',
  ],
  [
    'a model of the tenant that the flow does not declare',
    { ...llm({ model: 'gpt-4o' }), models: undefined },
    'unknown model "gpt-4o": expected no `model`, because the flow declares no `models`: to call the model "gpt-4o" of the tenant, declare it',
  ],
  [
    'a function',
    expression('$uppercas(input.message)'),
    'unknown name "$uppercas": did you mean "$uppercase"?',
  ],
  [
    'a function without its sign',
    expression('length(input.message)'),
    'unknown name "length": did you mean "$length"?',
  ],
  ['JSON of JavaScript', expression('JSON.parse(input.message)'), 'expected `$parse(…)` to read JSON'],
  [
    'a member of the input',
    expression('input.mesage'),
    'did you mean "input.message"? Expected input.message, input.user_variables',
  ],
  [
    'a member without the input',
    expression('message'),
    'unknown name "message": did you mean "input.message"? Expected input, state',
  ],
  ['a node without `nodes`', expression('b.x'), 'unknown name "b": did you mean "nodes.b"?'],
  [
    'a variable without `state`',
    { ...expression('tries'), state: { tries: 1 } },
    'did you mean "state.tries"?',
  ],
  ['a name of the scope', expression('stat.x'), 'unknown name "stat": did you mean "state"?'],
  [
    'the node of a mock',
    with_({
      tests: [{ input: {}, expect: 'true', mocks: { reprt: 1 } }],
      nodes: { report: { ...valid.nodes.a, next: 'b' }, b: { type: 'end', output: {} } },
      start: 'report',
    }),
    'expected the id of a node, and the flow has no node "reprt": did you mean "report"?',
  ],
];

const habits: readonly (readonly [string, string])[] = [
  ['input.message == "x"', 'equality is `=`, not `==`'],
  ['input.message === "x"', 'equality is `=`, inequality `!=`'],
  ['input.message <> "x"', 'inequality is `!=`'],
  ['true && false', 'both conditions are joined by `and`, not by `&&`'],
  ['true || false', 'either condition is joined by `or`, and a default value by `??`, not by `||`'],
  ['!input.message', 'a condition is negated by `$not(…)`, not by `!`'],
  ['not input.message', 'a condition is negated by `$not(…)`'],
  ['$filter(input.user_variables.xs, x => x.id)', 'a function is written `function($x){ … }`, not with `=>`'],
  ['(x) => x', 'a function is written `function($x){ … }`'],
  ['$\u007binput.message}', 'texts are joined by `&`'],
  ['input.event?.data', 'a member is read by `.`'],
  ['new Date()', 'there are no classes: the time is `$now()`'],
  ['typeof input.message', 'the type of a value is `$type(…)`'],
];

describe('a mistake names what was probably meant', () => {
  test.each(suggestions)('for %s', (_what, flow, detail) => {
    expect(mistakes(flow).map((one) => one.detail)).toContainEqual(expect.stringContaining(detail));
  });
});

describe('a mistake names what JSONata has instead', () => {
  test.each(habits)('of %s', (source, cure) => {
    expect(mistakes(expression(source))[0]?.detail).toContain(`{{ ${source} }}: ${cure}`);
  });

  test('but not of an operator inside a text', () => {
    expect(mistakes(expression('"a == b" +'))[0]?.detail).not.toContain('equality');
  });
});

describe('a near name', () => {
  test.each([
    ['prompts', ['prompt', 'messages'], 'prompt'],
    ['oder', ['order', 'older'], 'order'],
    ['max-tokens', ['max_tokens'], 'max_tokens'],
    ['mesasge', ['message'], 'message'],
    ['formatdate', ['formatBase', 'dateFormat'], 'dateFormat'],
    ['order_find', ['find-order'], 'find-order'],
    ['b', ['a', 'c'], undefined],
    ['to', ['do'], undefined],
    ['cat', ['car'], 'car'],
    ['total', ['subtotal'], undefined],
    ['x'.repeat(65), ['x'.repeat(64)], undefined],
    ['', ['a'], undefined],
  ])('of "%s" among %s is %s', (name, known, near) => {
    expect(nearName(name, known)).toBe(near);
  });

  test('does not compare more than 500 names', () => {
    const names = Array.from({ length: 500 }, (_, index) => `other_${index}`);
    expect(nearName('prompts', [...names, 'prompt'])).toBeUndefined();
    expect(nearName('prompts', [...names.slice(1), 'prompt'])).toBe('prompt');
  });
});
