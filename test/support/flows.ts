// Flows that tests of triggers and tasks run: they call a test's upstream, and say which way they went.
import type { JsonObject } from '#lib/json/json.ts';
import { flow, newRow, promoted } from './builders.ts';
import { newCaller, type TestCaller, unique } from './caller.ts';
import { bearer, putConnection } from './connections.ts';
import type { Effects } from './effects.ts';
import { serviceUrl } from './service-url.ts';
import type { Upstream } from './upstream.ts';

/** One request to each place in turn, then `{done: true}`. A place is `count/x` or `gate/x`. */
export function callingFlow(
  upstream: Pick<Upstream, 'url' | 'host'>,
  places: readonly string[],
  some: JsonObject = {},
) {
  const steps = places.map((place, n) => [
    `step_${n}`,
    {
      type: 'http',
      url: `${upstream.url}/${place}`,
      next: n + 1 < places.length ? `step_${n + 1}` : 'done',
    },
  ]);
  return flow({
    egress: [upstream.host],
    start: 'step_0',
    nodes: { ...Object.fromEntries(steps), done: { type: 'end', output: { done: true } } },
    ...some,
  });
}

/** A live agent that calls another one of this service, with the key of the caller as its connection. */
export async function delegatingAgent(inner: TestAgent, caller: TestCaller): Promise<TestAgent> {
  const hosts = [new URL(serviceUrl()).host];
  await putConnection(caller, 'agents', bearer(caller.key, { hosts }));
  const delegate = {
    type: 'a2a',
    agent: inner.a2aregistryid,
    message: 'Hi',
    connection: 'agents',
    next: 'done',
  };
  const calling = flow({
    connections: { agents: { type: 'http_bearer', hosts } },
    start: 'delegate',
    nodes: { delegate, done: { type: 'end', output: { done: true } } },
  });
  return await liveAgent({ flow: calling }, caller);
}

/** Says two things, then answers. */
export const replyingFlow = () =>
  flow({
    start: 'first',
    nodes: {
      first: { type: 'reply', text: 'Looking.', next: 'second' },
      second: { type: 'reply', data: { found: 1 }, next: 'done' },
      done: { type: 'end', output: { answer: '{{ input.message }}' } },
    },
  });

/** Two writes outside, one after the other. */
export function payingFlow({ url, host }: Effects) {
  const pay = { type: 'http', method: 'POST', url, body: { amount: 1 } };
  return flow({
    egress: [host],
    start: 'first',
    nodes: {
      first: { ...pay, next: 'second' },
      second: { ...pay, next: 'done' },
      done: { type: 'end', output: { paid: true } },
    },
  });
}

export const failingFlow = () =>
  flow({ start: 'broken', nodes: { broken: { type: 'fail', message: 'No stock of {{ input.message }}.' } } });

export interface TestAgent extends TestCaller {
  readonly flowid: string;
  readonly a2aregistryid: string;
}

/** A build that is live, with a caller of its organisation. */
export async function liveAgent(
  some: {
    readonly flow?: object;
    readonly flowid?: string;
    readonly visibility?: 'public' | 'organization';
    readonly agent_card?: object;
  } = {},
  caller?: TestCaller,
): Promise<TestAgent> {
  const owner = caller ?? (await newCaller());
  const { flowid = unique('flow') } = some;
  const row = await newRow(owner, { ...some, flowid });
  await promoted(owner, row);
  return { ...owner, flowid, a2aregistryid: row.a2aregistryid };
}

/** Waits for an event that has the message as its key, then ends with it. */
export const eventFlow = flow({
  start: 'w',
  nodes: {
    w: { type: 'wait', event: 'payment.completed', key: '{{ input.message }}', next: 'done' },
    done: { type: 'end', output: { got: '{{ nodes.w }}' } },
  },
});

/** Asks whether to continue, then ends with the answer. */
export const askingFlow = (some: JsonObject = {}, others: JsonObject = {}) =>
  flow({
    start: 'sure',
    nodes: {
      sure: {
        type: 'ask',
        prompt: 'Refund {{ input.message }}?',
        choices: ['yes', 'no'],
        next: 'done',
        ...some,
      },
      done: { type: 'end', output: { answered: '{{ nodes.sure }}' } },
      ...others,
    },
  });
