// Flows that look like doubtful ones, and are what their author means.
import { branch, classify, dollar, end, reading, request, state } from './doubtful-flows.ts';
import { both, choosing, list, said, setting } from './doubtful-nodes.ts';
import { expression, http, llm, transform, with_ } from './faulty-flows.ts';

export const sure: readonly (readonly [string, object])[] = [
  ...[
    '[input.message ~> $substring(0, 1), $string(input), $zip([1], [2], [3]), $now(), $error()]',
    '($substring := function() { 1 }; $substring())',
    '$map([1], function($sum) { $sum })',
    'input.user_variables.names.$uppercase()',
    'input.user_variables.names ~> $uppercase',
    '($first := $substring(?, 0, 1); $first(input.message))',
  ].map((source) => [source, expression(source)] as const),
  ...[
    'nodes.a.lines[0].sku',
    'nodes.a.lines[sku = "x"].sku',
    'nodes.a.lines@$line[sku = "x"].kind',
    'nodes.a.lines@$line.kind',
    'nodes.a.lines[$exists(sku) and sku != $$.input.message][0].sku',
    'nodes.a.lines#$i[$i = 0].sku',
    'nodes.a.lines.($x := sku; $x)',
    '$count(nodes.a.lines) + 1',
  ].map((source) => [source, reading(classify, source)] as const),
  ...[
    { headers: { accept: 'application/json', 'x-page': '/sk-SK/products-and-services-of-the-shop' } },
    { headers: { authorization: "{{ 'Bearer ' & input.user_variables.token }}" } },
    { query: { key: 'created_at', token: 'BTC', sort_key: 'name_of_the_product' } },
    { url: 'https://api.example.com/x?key=name&api_key=DEMO_KEY' },
    { url: 'https://api.example.com/x?token={{ input.user_variables.token }}' },
  ].map((fields) => [JSON.stringify(fields), http(fields)] as const),
  [
    'a member of an open schema',
    reading({ type: 'llm', prompt: 'x', output_schema: { type: 'object' } }, 'nodes.a.x.y'),
  ],
  [
    'what a tool of an agent assigns',
    reading(
      {
        type: 'agent',
        instructions: 'x',
        capture: { id: { description: 'x', schema: { type: 'string' } } },
        tools: [
          { flow: 'order-status', name: 'status', description: 'x', assign: { order: '{{ result }}' } },
        ],
      },
      'nodes.a.captured.order',
    ),
  ],
  [
    'the result of a tool that ends an agent',
    {
      ...reading(
        {
          type: 'agent',
          instructions: 'x',
          output_schema: { type: 'object', additionalProperties: false, properties: {} },
          tools: [{ flow: 'order-status', name: 'status', description: 'x', ends: true }],
        },
        'nodes.a.data.order',
      ),
    },
  ],
  [
    'what an agent gives',
    reading({ type: 'agent', instructions: 'x' }, 'nodes.a.text & nodes.a.turns & nodes.a.finish_reason'),
  ],
  [
    'a part of an answer that is read as text',
    reading({ ...request, response: 'text', select: '{{ { "id": body } }}' }, 'nodes.a.body.id'),
  ],
  [
    'an accepted answer that is JSON',
    reading({ ...request, response: 'text', accept: ['2xx', 404] }, 'nodes.a.body.error'),
  ],
  ['members of a body', reading(request, 'nodes.a.body.x.y & nodes.a.headers.etag & nodes.a.status')],
  [
    'the error of a node that catches',
    reading({ ...request, catch: [{ on: ['*'], next: 'b' }] }, 'nodes.a.error.code'),
  ],
  [
    'the error of a model that catches',
    reading({ type: 'llm', prompt: 'x', catch: [{ on: ['*'], next: 'b' }] }, 'nodes.a.error.code'),
  ],
  [
    'a member of what an expression gives',
    transform({ output: '{{ input.event.data }}', assign: { x: '{{ nodes.a.x }}' } }),
  ],
  [
    'a member of a result of a tool',
    reading({ type: 'mcp', server: 'https://api.example.com/mcp', tool: 't' }, 'nodes.a.x'),
  ],
  [
    'items that may have failed',
    reading({ type: 'map', items: [1], on_error: 'collect', body: branch(request) }, 'nodes.a.error'),
  ],
  [
    'a member in a stored value',
    reading({ type: 'store', get: 'k' }, '[nodes.a.value.name, nodes.a.found, nodes.a.version]'),
  ],
  [
    'the first member of a list',
    reading({ type: 'map', items: [1], body: branch(request) }, 'nodes.a[0].body'),
  ],
  [
    'a variable of the root in a filter',
    { ...expression('input.user_variables.xs[id = $$.state.id]'), ...state },
  ],
  [
    'a variable in a function',
    { ...expression('$filter(input.user_variables.xs, function($x) { $x.id = state.id })'), ...state },
  ],
  [
    'a member of the elements that has the name of a part of the scope',
    { ...expression('input.user_variables.xs[state = "open"]'), ...state },
  ],
  [
    'a member of the elements that no variable has',
    { ...expression('input.user_variables.xs[state.code = "TX"]'), ...state },
  ],
  ['a member of the elements with a literal', expression('input.user_variables.runs[run.id = "x"]')],
  ['a variable after the root', { ...expression('$$.(state.id)'), ...state }],
  ['a length beside a width', expression('input.user_variables.box.length * input.user_variables.box.width')],
  ['a length in backticks', expression('input.user_variables.box.`length`')],
  [
    'a length that is declared',
    { ...expression('input.user_variables.length'), input: { properties: { length: { type: 'number' } } } },
  ],
  ['a placeholder of a script', llm({ prompt: `echo ${dollar}{HOME} and ${dollar}{inputs}` })],
  ['a variable that is compared with null', { ...expression('state.id = null'), ...state }],
  [
    'a member that is always there',
    reading(
      { type: 'a2a', agent: 'https://api.example.com/agent', message: 'x' },
      '$string(nodes.a.data = null)',
    ),
  ],
  [
    'a required variable that may be null',
    { ...expression('input.user_variables.x = null'), input: { required: ['x'], properties: { x: {} } } },
  ],
  ['null in place of what is missing', expression('(input.user_variables.x ?? null) = null')],
  [
    'null after a question for existence',
    expression('$exists(input.user_variables.x) and input.user_variables.x != null'),
  ],
  ['a division by a variable', expression('1 / input.user_variables.n')],
  [
    'large integers that a number holds, and fractions',
    expression('[9007199254740991, 9007199254740992, 1e20, 0.12345678901234567890]'),
  ],
  ['a division by a fraction', expression('1 / 0.5')],
  ['a condition that compares', choosing('$count(input.user_variables.xs) > 0')],
  ['a condition that exists', choosing('$exists(input.user_variables.xs)')],
  ['a condition that chooses', choosing('input.event ? input.user_variables.a : "b"')],
  ['a condition in parentheses', choosing('(input.user_variables.a)')],
  ['headers', reading(request, 'nodes.a.headers.etag & nodes.a.headers.`x-total`')],
  [
    'headers that the request asks for',
    reading({ ...request, response_headers: ['ETag', 'Set-Cookie'] }, 'nodes.a.headers.`set-cookie`'),
  ],
  ['a condition of two', choosing('input.user_variables.a and $not(input.user_variables.b)')],
  ['a condition that a variable holds', choosing('state.ok', { state: { ok: false } })],
  ['a condition that a filter finds', choosing('input.user_variables.xs[a = 1].ok')],
  ['JSON in a prompt', llm({ prompt: 'Known: {{ input.user_variables }} {{ state }}' })],
  ['JSON that is meant', said('Hello {{ $string(input.user_variables.who) }}', { input: list })],
  [
    'a text by its schema',
    said('Hello {{ input.user_variables.who }}', { input: { properties: { who: { type: 'string' } } } }),
  ],
  ['a whole output', transform({ output: '{{ input }}' })],
  [
    'a variable that its branch reads',
    both({ x: setting({ n: 1 }, { next: 'y' }), y: { type: 'transform', output: '{{ state.n }}' } }),
  ],
  [
    'a variable that its branch reads with all others',
    both({ x: setting({ n: 1 }, { next: 'y' }), y: { type: 'transform', output: '{{ state }}' } }),
  ],
  [
    'a variable of a branch that is read by a filter',
    both({
      x: setting({ n: 1 }, { next: 'y' }),
      y: { type: 'transform', output: '{{ input.user_variables.xs[n = $$.state.n] }}' },
    }),
  ],
  [
    'a variable that a branch and the flow set',
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
          assign: { n: 2 },
          next: 'b',
        },
        b: end({ n: '{{ state.n }}' }),
      },
    },
  ],
  ['a header from a variable', http({ headers: { Authorization: 'Bearer {{ env.TOKEN }}' } })],
  [
    'a header that is no credential',
    http({ headers: { 'X-Atlassian-Token': 'no-check', Accept: 'text/plain' } }),
  ],
  ['a header that is not sent', http({ headers: { Authorization: '' } })],
];
