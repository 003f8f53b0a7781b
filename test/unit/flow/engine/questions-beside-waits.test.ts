// A question in one branch while others wait: it is received as soon as nothing else can continue, and no
// wait is lost.
import { expect, test } from 'vitest';
import { checkedFlow, never, quiet, type Recorded, run, runNodes, scripted, startedAt } from '../scripted.ts';

const ask = { start: 'sure', nodes: { sure: { type: 'ask', prompt: 'Sure?' } } };
const wait = {
  start: 'nap',
  nodes: { nap: { type: 'wait', seconds: 60, next: 'woke' }, woke: { type: 'reply', text: 'Awake.' } },
};
const work = { start: 'get', nodes: { get: { type: 'http', url: 'https://example.com/' } } };
const done = { type: 'end', output: { fan: '{{ nodes.fan }}' } };
const fan = (branches: object, some: object = {}) => ({ type: 'parallel', branches, next: 'done', ...some });
const kinds = {
  type: 'switch',
  cases: [{ when: '{{ item = "ask" }}', next: 'sure' }],
  default: 'nap',
};
const each = (items: readonly string[]) => ({
  type: 'map',
  items,
  body: { start: 'kind', nodes: { kind: kinds, ...ask.nodes, ...wait.nodes } },
  next: 'done',
});
const nodesOf = (first: object) => ({ fan: first, done });
const until = new Date(startedAt + 61_000).toISOString();
const patient = { patienceMs: Number.POSITIVE_INFINITY };

const places = [
  ['branches, the question first', fan({ ask, wait })],
  ['branches, the wait first', fan({ wait, ask })],
  ['items, the question first', each(['ask', 'wait'])],
  ['items, the wait first', each(['wait', 'ask'])],
  ['a race that the first wins', fan({ wait, ask }, { join: 'first' })],
  [
    'branches of a branch',
    fan({ inner: { start: 'in', nodes: { in: fan({ wait, ask }, { next: undefined }) } } }),
  ],
] as const;

test.each(places)(
  'in %s, the question is received at once, and the wait stays open',
  async (_where, node) => {
    const { outcome, clock } = await runNodes(nodesOf(node), {}, { options: patient });
    expect(outcome).toMatchObject({ status: 'input_required', requests: [{ prompt: 'Sure?' }], until });
    expect(clock.sleeping()).toEqual([]);
  },
);

test('a wait sleeps on while another branch works, and ends in its time', async () => {
  const recorded = scripted({ http: () => never() });
  const stop = new AbortController();
  const running = run(checkedFlow(nodesOf(fan({ ask, wait, work })), { egress: ['example.com'] }), recorded, {
    ...patient,
    signal: stop.signal,
  });
  await quiet();
  recorded.clock.pass(60_000);
  await quiet();
  expect(recorded.replies).toMatchObject([{ text: 'Awake.' }]);
  stop.abort();
  await running;
});

test('a wait whose sibling has its answer is slept through', async () => {
  const flow = checkedFlow(nodesOf(fan({ wait, ask })));
  const { snapshot, requests } = await asked(flow);
  const recorded = scripted();
  const answer = { id: requests[0]?.id ?? '', value: 'yes' };
  const running = run(flow, recorded, { ...patient, snapshot, answer });
  await quiet();
  recorded.clock.pass(60_000);
  expect(await running).toMatchObject({ status: 'completed', response: { fan: { ask: 'yes' } } });
});

test('the end of a wait leaves the question open', async () => {
  const flow = checkedFlow(nodesOf(fan({ wait, ask })));
  const { snapshot } = await asked(flow);
  const recorded = scripted();
  recorded.clock.pass(60_000);
  const outcome = await run(flow, recorded, { ...patient, snapshot });
  expect(recorded.replies).toMatchObject([{ text: 'Awake.' }]);
  expect(outcome).toMatchObject({ status: 'input_required', requests: [{ prompt: 'Sure?' }] });
  expect(outcome).not.toHaveProperty('until');
});

test('what nobody needs any more asks nothing, and keeps no wait from being slept through', async () => {
  const fail = { start: 'no', nodes: { no: { type: 'fail', message: 'No.' } } };
  const recorded = scripted();
  const running = run(checkedFlow(nodesOf(fan({ wait, fail, ask }))), recorded, patient);
  await quiet();
  recorded.clock.pass(60_000);
  expect(await running).toMatchObject({ status: 'failed', error: { code: 'fail' } });
});

async function asked(flow: ReturnType<typeof checkedFlow>, recorded: Recorded = scripted()) {
  const outcome = await run(flow, recorded, patient);
  if (outcome.status !== 'input_required') throw new Error(`Expected a question, got ${outcome.status}.`);
  return JSON.parse(JSON.stringify(outcome)) as typeof outcome;
}
