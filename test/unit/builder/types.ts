// What the compiler accepts and refuses in a builder file: `tsc` fails if one of the expected errors is none. The flow
// is also built, so that the names here are those of the run time.
import * as z from 'zod';
import { type Expression, expr, flow, type ResponseOf, typed } from '#lib/package/builder.ts';

/** Compiles only if the expression has exactly that type. */
const isOf = <T>(expression: Expression<T>): Expression<T> => expression;

interface Order {
  readonly status: string;
  readonly lines: readonly { readonly price: number }[];
}

export function buildTypedFlow() {
  const f = flow({
    name: 'Types',
    ids: ['order', 'answer', 'sum', 'each', 'both', 'ask', 'choose', 'agent', 'done', 'other'],
    input: z.object({ order_id: z.string(), note: z.string().optional() }),
    state: { count: 0, words: ['one'], none: [], last: null },
    egress: ['api.example.com'],
  });
  isOf<string>(f.input.user_variables.order_id);
  isOf<number>(f.state.count);
  isOf<string>(f.state.words.at(0));
  isOf<number>(f.run.turn);
  // A variable that is null or an empty list at first may have any value later.
  isOf<number>(typed<number>(f.state.last));
  f.state.last.code;
  f.state.none.at(0).price;
  // @ts-expect-error: the input has no such variable
  f.input.user_variables.orderid;
  // @ts-expect-error: the state has no such variable
  f.state.counter;

  // @ts-expect-error: the flow has no such node
  f.nodes.orders;

  const order = f.http('order', {
    url: `https://api.example.com/orders/${f.input.user_variables.order_id}`,
    catch: [{ on: ['http.404'], next: 'other', assign: { last: f.nodes.order.error } }],
    next: 'answer',
  });
  isOf<number>(order.output.status);
  // @ts-expect-error: the output of a request has no such member
  order.output.data;
  const body = typed<Order>(order.output.body);
  isOf<string>(body.status);
  isOf<number>(body.lines.at(0).price);
  // @ts-expect-error: the type has no such member
  body.state;
  // @ts-expect-error: this is text
  isOf<number>(body.status);

  const answer = f.llm('answer', {
    prompt: `Total of ${body.lines}`,
    output_schema: z.object({ total: z.number(), kind: z.enum(['a', 'b']), note: z.string().optional() }),
    next: 'sum',
  });
  isOf<number>(answer.output.total);
  isOf<'a' | 'b'>(answer.output.kind);
  // @ts-expect-error: the schema has no such member
  answer.output.sum;

  const sum = f.transform('sum', {
    output: {
      total: answer.output.total,
      twice: expr<number>`${answer.output.total} * 2`,
      name: 'Ada',
      open: '{{ 1 }}',
    },
    next: 'each',
  });
  isOf<number>(sum.output.twice);
  isOf<string>(sum.output.name);
  // @ts-expect-error: a text with an expression may be of any type
  isOf<string>(sum.output.open);

  const each = f.map('each', {
    items: body.lines,
    body: (scope) => {
      isOf<number>(scope.item.price);
      // @ts-expect-error: an item has no such member
      scope.item.cost;
      scope.transform('price', { output: scope.item.price });
    },
    next: 'both',
  });
  const both = f.parallel('both', {
    branches: {
      left: (branch) => branch.transform('left', { output: each.output }),
      right: (branch) => {
        const first = branch.transform('last_right', { output: 1 });
        return branch.transform('first_right', { output: 2, next: first });
      },
    },
    next: 'ask',
  });
  isOf<unknown>(both.output.left);
  // @ts-expect-error: no such branch
  both.output.middle;
  isOf<unknown>(each.output.at(0));
  // @ts-expect-error: the output is a list
  each.output.price;
  const asked = f.ask('ask', {
    prompt: 'Yes?',
    choices: ['yes', 'no'],
    on_timeout: 'other',
    timeout_seconds: 60,
    next: 'choose',
  });
  isOf<'yes' | 'no' | null>(asked.output);
  // @ts-expect-error: it is null when the time is over
  isOf<'yes' | 'no'>(asked.output);
  f.switch('choose', {
    cases: [{ when: expr`${asked.output} = 'yes'`, next: 'agent' }],
    default: 'other',
  });
  const agent = f.agent('agent', {
    instructions: 'Help.',
    tools: [
      {
        flow: 'reports',
        name: 'report',
        description: 'Writes one.',
        parameters: z.object({ day: z.string() }),
      },
    ],
    output_schema: { type: 'object', properties: { done: { type: 'boolean' } }, required: ['done'] },
    next: 'done',
  });
  isOf<boolean>(agent.output.data.done);
  const other = f.end('other', { output: {} });
  f.end('done', { output: { body: body.status, agent: agent.output.text } });
  return { f, other };
}

interface Visits {
  readonly count: number;
}

/** The outputs of nodes whose values come from outside the flow. */
export function buildForeignFlow() {
  const called = flow({ name: 'Called', output: z.object({ total: z.number() }) });
  const f = flow({ name: 'Foreign', egress: ['tools.example.com'] });

  const paid = f.wait('paid', {
    event: 'payment.completed',
    key: 'k',
    schema: z.object({ amount: z.number() }),
  });
  isOf<'payment.completed'>(paid.output.event);
  isOf<string>(paid.output.received_at);
  isOf<number>(paid.output.data.amount);
  // @ts-expect-error: the schema has no such member
  paid.output.data.price;
  // @ts-expect-error: a wait for an event has no end
  paid.output.until;
  const late = f.wait('late', { event: 'e', key: 'k', timeout_seconds: 60, on_timeout: 'done' });
  late.output.data.amount;
  // @ts-expect-error: the output is null when the time is over
  isOf<object>(late.output);
  const pause = f.wait('pause', { seconds: 1 });
  isOf<string>(pause.output.until);
  // @ts-expect-error: a pause receives no event
  pause.output.data;

  const read = f.store<Visits>('read', { get: 'visits' });
  isOf<boolean>(read.output.found);
  isOf<string | null>(read.output.version);
  isOf<number>(read.output.value.count);
  isOf<Visits | null>(read.output.value);
  // @ts-expect-error: there may be no value
  isOf<Visits>(read.output.value);
  const written = f.store('written', {
    put: 'visits',
    value: { count: expr`${read.output.value.count} + 1` },
    if_version: read.output.version,
  });
  isOf<string>(written.output.version);
  // @ts-expect-error: a write gives no value
  written.output.value;
  const deleted = f.store('deleted', { delete: 'visits', next: 'code' });
  isOf<null>(deleted.output.version);

  const code = f.code<{ readonly sum: number }>('code', { code: 'return { sum: 1 };' });
  isOf<number>(code.output.sum);
  // @ts-expect-error: the type has no such member
  code.output.total;
  const tool = f.mcp<readonly string[]>('tool', { server: 'https://tools.example.com/mcp', tool: 'search' });
  isOf<string>(tool.output.at(0));
  const sum = f.flow<ResponseOf<typeof called>>('sum', { flowid: 'sum' });
  isOf<number>(sum.output.total);
  // @ts-expect-error: the schema of the response has no such member
  sum.output.sum;
  const plain = f.code('plain', { code: 'return 1;' });
  plain.output.anything;
  // @ts-expect-error: nothing is known of it
  isOf<number>(plain.output);
  f.end('done', { output: { sum: sum.output.total } });
  return f;
}

/** Not called: the compiler refuses each of these, and most fail when they are built, too. */
export function refused() {
  const f = flow({ name: 'Wrong', ids: ['one', 'two'] });
  // @ts-expect-error: no such id
  f.end('three', { output: {} });
  // @ts-expect-error: no such id to continue with
  f.transform('one', { output: 1, next: 'three' });
  // @ts-expect-error: no such id to continue with after an error
  f.transform('one', { output: 1, catch: [{ on: ['*'], next: 'three' }], next: 'two' });
  // @ts-expect-error: no such id in a case
  f.switch('one', { cases: [{ when: '{{ true }}', next: 'three' }], default: 'two' });
  // @ts-expect-error: no such field
  f.transform('one', { output: 1, nxt: 'two' });
  // @ts-expect-error: no such field of `retry`
  f.transform('one', { output: 1, retry: { max_attempts: 2, delay_ms: 1, on: ['*'], after: 1 } });
  // @ts-expect-error: a field is missing
  f.http('one', { method: 'GET' });
  // @ts-expect-error: no such method
  f.http('one', { url: 'https://example.com', method: 'FETCH' });
  // @ts-expect-error: no text
  f.llm('one', { prompt: 5 });
  // @ts-expect-error: no such node type
  f.transfrom('one', { output: 1 });
  // @ts-expect-error: one action only
  f.store('one', { get: 'a', delete: 'a' });
  // @ts-expect-error: no action
  f.store('one', {});
  // @ts-expect-error: no such field of a wait
  f.wait('one', { second: 1 });
  // @ts-expect-error: no such field of a flow
  flow({ name: 'Wrong', egres: [] });
  // @ts-expect-error: no such field of a test
  flow({ name: 'Wrong', tests: [{ input: {}, expects: '{{ true }}' }] });
  // @ts-expect-error: no such id to start with
  flow({ name: 'Wrong', ids: ['one'], start: 'two' });
}
