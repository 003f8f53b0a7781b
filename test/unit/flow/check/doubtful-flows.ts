// Flows that the check accepts with a warning about an expression: what is wrong with each, and what the warning says.
import { expression, llm, valid, with_, withNode } from './faulty-flows.ts';

/** What is wrong, the flow, the code and the pointer, and a part of what the warning says. */
export type Doubt = readonly [what: string, flow: object, place: string, detail: string];

/** A text with `${` in quotes would be read as a mistake of this file. */
export const dollar = '$';
export const end = (output: unknown) => ({ type: 'end', output });
/** The node `a`, and an end that reads it. */
export const reading = (node: object, source: string) => ({
  ...withNode({ next: 'b', ...node }),
  nodes: { a: { next: 'b', ...node }, b: end({ text: `{{ ${source} }}` }) },
});
const member = 'member_without_value /nodes/b/output/text';
const closed = {
  type: 'object',
  additionalProperties: false,
  required: ['kind'],
  properties: {
    kind: { enum: ['refund', 'other'] },
    lines: {
      type: 'array',
      items: { type: 'object', additionalProperties: false, properties: { sku: { type: 'string' } } },
    },
    address: { $ref: '#/$defs/address' },
  },
  $defs: {
    address: { type: 'object', additionalProperties: false, properties: { city: { type: 'string' } } },
  },
};
export const classify = { type: 'llm', prompt: 'x', output_schema: closed };
export const request = { type: 'http', url: 'https://api.example.com/x' };
export const branch = (node: object) => ({ start: 'x', nodes: { x: node } });

export const members: readonly Doubt[] = [
  [
    'a header that is not in lower case',
    reading(request, 'nodes.a.headers.`Retry-After`'),
    member,
    'expected "retry-after", because names of headers are in lower case',
  ],
  [
    'a header that the request does not ask for',
    reading({ ...request, response_headers: ['ETag'] }, 'nodes.a.headers.location'),
    member,
    'expected "location" in `response_headers`',
  ],
  [
    'a member of a stored value',
    reading({ type: 'store', get: 'k' }, 'nodes.a.name'),
    member,
    'expected nodes.a.found, nodes.a.value, nodes.a.version',
  ],
  [
    'the value that was stored',
    reading({ type: 'store', put: 'k', value: 1 }, 'nodes.a.value'),
    member,
    'expected nodes.a.version',
  ],
  [
    'a member of the text of a model',
    reading({ type: 'llm', prompt: 'x' }, 'nodes.a.text'),
    member,
    'nodes.a.text never has a value: nodes.a is a text, without members',
  ],
  ...['nodes.a.lines[0].c', 'nodes.a.lines[sku = "x"].c', 'nodes.a.lines[c = 1].sku'].map(
    (source) => [source, reading(classify, source), member, 'nodes.a.lines.c never has a value'] as const,
  ),
  [
    'a member that a closed schema does not have',
    reading(classify, 'nodes.a.kinds'),
    member,
    'nodes.a.kinds never has a value: did you mean "nodes.a.kind"? Expected nodes.a.kind, nodes.a.lines, nodes.a.address',
  ],
  [
    'a member of the items of a list in a closed schema',
    reading(classify, 'nodes.a.lines.name'),
    member,
    'expected nodes.a.lines.sku',
  ],
  [
    'a member behind a reference of a schema',
    reading(classify, '$uppercase(nodes.a.address.town)'),
    member,
    'expected nodes.a.address.city',
  ],
  [
    'a member of an answer that http does not have',
    reading(request, 'nodes.a.data.id'),
    member,
    'nodes.a.data never has a value: expected nodes.a.status, nodes.a.headers, nodes.a.body',
  ],
  [
    'a member of a body that is read as text',
    reading({ ...request, response: 'text' }, 'nodes.a.body.id'),
    member,
    'nodes.a.body is a text',
  ],
  [
    'a member of bytes',
    reading({ ...request, response: 'base64' }, 'nodes.a.body.type'),
    member,
    'expected nodes.a.body.base64, nodes.a.body.media_type, nodes.a.body.size',
  ],
  [
    'a member that an agent does not give',
    reading({ type: 'agent', instructions: 'x' }, 'nodes.a.output'),
    member,
    'expected nodes.a.text, nodes.a.data',
  ],
  [
    'a variable that an agent does not capture',
    reading(
      {
        type: 'agent',
        instructions: 'x',
        capture: { order: { description: 'x', schema: { type: 'string' } } },
      },
      'nodes.a.captured.orders',
    ),
    member,
    'did you mean "nodes.a.captured.order"?',
  ],
  [
    'a member that another agent does not give',
    reading({ type: 'a2a', agent: 'https://api.example.com/agent', message: 'x' }, 'nodes.a.message'),
    member,
    'expected nodes.a.text, nodes.a.data, nodes.a.task_id',
  ],
  [
    'a member that a transform does not make',
    reading({ type: 'transform', output: { sum: 1, of: { price: '{{ 1 }}' } } }, 'nodes.a.of.prize'),
    member,
    'did you mean "nodes.a.of.price"?',
  ],
  [
    'a member of the id that a switch gives',
    reading(
      { type: 'switch', cases: [{ when: '{{ true }}', next: 'b' }], default: 'b', next: undefined },
      'nodes.a.next',
    ),
    member,
    'nodes.a is a text',
  ],
  [
    'a branch that a parallel does not have',
    reading({ type: 'parallel', branches: { stock: branch({ type: 'llm', prompt: 'x' }) } }, 'nodes.a.stok'),
    member,
    'did you mean "nodes.a.stock"?',
  ],
  [
    'a member of the output of a branch',
    reading(
      { type: 'parallel', branches: { stock: branch({ type: 'llm', prompt: 'x' }) } },
      'nodes.a.stock.text',
    ),
    member,
    'nodes.a.stock is a text',
  ],
  [
    'the output of a branch beside how it settled',
    reading(
      { type: 'parallel', join: 'settled', branches: { stock: branch({ type: 'llm', prompt: 'x' }) } },
      'nodes.a.stock.value',
    ),
    member,
    'expected nodes.a.stock.status, nodes.a.stock.output, nodes.a.stock.error',
  ],
  [
    'a branch where only the first counts',
    reading({ type: 'parallel', join: 'first', branches: { stock: branch(request) } }, 'nodes.a.stock'),
    member,
    'expected nodes.a.branch, nodes.a.output',
  ],
  [
    'a member of the outputs of a map',
    reading({ type: 'map', items: [1], body: branch(request) }, 'nodes.a.data'),
    member,
    'expected nodes.a.status, nodes.a.headers, nodes.a.body',
  ],
  [
    'a member of an answer that is one of some choices',
    reading({ type: 'ask', prompt: '?', choices: ['yes', 'no'] }, 'nodes.a.answer'),
    member,
    'nodes.a is a text',
  ],
  [
    'a member of an answer that its schema does not have',
    reading({ type: 'ask', prompt: '?', schema: closed }, 'nodes.a.type'),
    member,
    'expected nodes.a.kind',
  ],
  [
    'a member that a wait does not give',
    reading({ type: 'wait', seconds: 1 }, 'nodes.a.at'),
    member,
    'expected nodes.a.until',
  ],
  [
    'the error of a node that catches none',
    reading(request, 'nodes.a.error.code'),
    member,
    'nodes.a.error never has a value: the node "a" has no `catch`',
  ],
  [
    'a variable that a closed input does not have',
    { ...expression('input.user_variables.orderid'), input: { ...closed, properties: { order_id: {} } } },
    'member_without_value /nodes/a/output/deep/0',
    'did you mean "input.user_variables.order_id"?',
  ],
  [
    'a member of the message',
    expression('input.message.text'),
    'member_without_value /nodes/a/output/deep/0',
    'input.message is a text, without members',
  ],
  [
    'a member that the output of a test cannot have',
    with_({
      tests: [{ input: {}, expect: 'nodes.a.text = "x"' }],
      nodes: { a: { type: 'llm', prompt: 'x', next: 'b' }, b: valid.nodes.b },
    }),
    'member_without_value /tests/0/expect',
    'nodes.a is a text',
  ],
];

const at = '/nodes/a/output/deep/0';
export const state = { state: { id: 1, rows: [] } };

export const traps: readonly Doubt[] = [
  ...(
    [
      ['$substring()', '$substring is called with no argument: expected $substring(text, number, [number])'],
      ['$now(1, 2, 3)', '$now is called with 3 arguments: expected $now([text], [text])'],
      ['input.message ~> $substring(0, 1, 2)', '$substring is called with 4 arguments'],
      ['$map([1, 2])', '$map is called with 1 argument: expected $map(list, function)'],
    ] as const
  ).map(([source, detail]): Doubt => [source, expression(source), `wrong_arguments ${at}`, detail]),
  [
    'a variable in a filter',
    { ...expression('input.user_variables.xs[id = state.id]'), ...state },
    `scope_hidden ${at}`,
    'inside a filter, or after a step of a path, names are fields of the current element, so state.id is one too: write $$.state.id',
  ],
  [
    'a variable as the position in a list',
    { ...expression('state.rows[state.id]'), ...state },
    `scope_hidden ${at}`,
    'write $$.state.id',
  ],
  [
    'a variable after a step',
    { ...expression('state.rows.(price * state.id)'), ...state },
    `scope_hidden ${at}`,
    'write $$.state.id',
  ],
  [
    'the output of a node in a filter',
    reading({ type: 'transform', output: { id: 1 } }, 'input.user_variables.xs[id = nodes.a.id]'),
    'scope_hidden /nodes/b/output/text',
    'write $$.nodes.a.id',
  ],
  [
    'the message as an argument in a filter',
    expression('input.user_variables.xs[$contains(name, input.message)]'),
    `scope_hidden ${at}`,
    'write $$.input.message',
  ],
  [
    'a variable in the key of a group',
    { ...expression('state.rows{state.id: price}'), ...state },
    `scope_hidden ${at}`,
    'write $$.state.id',
  ],
  [
    'the environment compared with a member',
    expression('input.user_variables.xs[region = env.REGION]'),
    `scope_hidden ${at}`,
    'write $$.env.REGION',
  ],
  [
    'the item of a map compared with a member',
    withNode({
      type: 'map',
      items: [1],
      body: branch({ type: 'transform', output: '{{ input.user_variables.xs[id = item.id] }}' }),
      next: 'b',
    }),
    'scope_hidden /nodes/a/body/nodes/x/output',
    'write $$.item.id',
  ],

  ...['"a" + input.message', 'input.message + 1', '1 & (input.user_variables.n + "b")'].map(
    (source) => [source, expression(source), `foreign_syntax ${at}`, 'texts are joined by `&`'] as const,
  ),
  ...[
    ['input.message.toUpperCase()', '`$uppercase(…)`'],
    ['input.message.includes("a")', '`$contains(…)`'],
    ['input.message.trim()', '`$trim(…)`'],
    ['input.message.foo()', 'a function of JSONata'],
  ].map(
    ([source = '', cure = '']) =>
      [source, expression(source), `foreign_syntax ${at}`, `no methods: expected ${cure}`] as const,
  ),
  [
    'the length of a list',
    expression('input.user_variables.xs.length'),
    `foreign_syntax ${at}`,
    'expected `$count(…)` for a list',
  ],
  [
    'the length of a text',
    expression('$boolean(input.message.length > 3)'),
    `foreign_syntax ${at}`,
    '`$length(…)` for a text',
  ],
  ['the length of a variable', expression('($x := [1, 2]; $x.length)'), `foreign_syntax ${at}`, '$count'],
  [
    'the length of a member of the elements',
    expression('input.user_variables.xs[names.length > 1]'),
    `foreign_syntax ${at}`,
    '$count',
  ],
  [
    'a method',
    expression('input.user_variables.xs.toString()'),
    `foreign_syntax ${at}`,
    '`toString(…)` calls a method, and values have no methods: expected `$string(…)`',
  ],
  [
    'a placeholder of JavaScript',
    llm({ prompt: `Order ${dollar}{nodes.a}` }),
    'foreign_syntax /nodes/a/prompt',
    'expected `{{ … }}` in a text',
  ],
  [
    'a placeholder beside an expression',
    llm({ prompt: `{{ input.message }} ${dollar}{ input.message }` }),
    'foreign_syntax /nodes/a/prompt',
    'is not filled in',
  ],
  [
    'a placeholder in a text of an expression',
    expression(`"Hello ${dollar}{input.message}" & "!"`),
    `foreign_syntax ${at}`,
    'is not filled in',
  ],

  [
    'a variable of the input that is compared with null',
    expression('input.user_variables.x = null'),
    `null_comparison ${at}`,
    'a missing value is not null, so `= null` is false where input.user_variables.x is missing: expected `$exists(input.user_variables.x)`, or `(input.user_variables.x ?? null) = null`',
  ],
  [
    'a member that is compared with null',
    expression('input.event.data.x != null'),
    `null_comparison ${at}`,
    '`!= null` is true where input.event.data.x is missing',
  ],
  [
    'null that is compared with an event',
    expression('null = input.event'),
    `null_comparison ${at}`,
    'input.event is missing',
  ],
  [
    'a division by zero',
    expression('input.user_variables.n / 0'),
    `division_by_zero ${at}`,
    '/ 0 gives null',
  ],
  [
    'an integer of an expression that loses digits',
    expression('input.user_variables.n = 9007199254740993'),
    `number_rounded ${at}`,
    '9007199254740993 may have lost its last digits',
  ],
  [
    'a large integer inside an index and below zero',
    expression('$count([-12345678901234567890])'),
    `number_rounded ${at}`,
    '12345678901234567890',
  ],
  [
    'a large integer of the file',
    reading({ type: 'transform', output: { list: [{ big: 2 ** 70 }] } }, 'nodes.a.list[0].big'),
    'number_rounded /nodes/a/output/list/0/big',
    'exact up to 9007199254740991',
  ],
  ['a remainder of zero', expression('$sum([1 % 0])'), `division_by_zero ${at}`, '% 0 gives null'],
];
