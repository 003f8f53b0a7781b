// A run that is interrupted at any node and resumed in another process ends as if nothing had happened.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Flow } from '#lib/flow/definition/flow.ts';
import type { Outcome } from '#lib/flow/engine/run-flow.ts';
import type { Snapshot } from '#lib/flow/engine/snapshot.ts';
import type { NodeCall } from '#lib/flow/ports/node-call.ts';
import { checkedFlow, httpAnswer, modelAnswer, run, scripted } from '../scripted.ts';

/** What a generated node does; where it leads is drawn apart, so that loops and dead ends occur. */
const action = fc.oneof(
  fc.record({
    type: fc.constant('transform'),
    output: fc.constantFrom<unknown>('{{ state.n + 1 }}', { v: '{{ state.last }}' }, 'x'),
  }),
  fc.record({ type: fc.constant('reply'), text: fc.constantFrom('n is {{ state.n }}', 'hello') }),
  fc.record({ type: fc.constant('llm'), prompt: fc.constant('{{ state.n }}') }),
  fc.record({
    type: fc.constant('http'),
    method: fc.constantFrom('GET', 'POST'),
    url: fc.constant('https://api.example.com/{{ state.n }}'),
  }),
);

const target = fc.nat({ max: 7 });
const generated = fc.array(
  fc.record({
    action,
    next: target,
    other: target,
    isSwitch: fc.boolean(),
    counts: fc.boolean(),
    catches: fc.boolean(),
    bound: fc.nat({ max: 5 }),
  }),
  { minLength: 1, maxLength: 8 },
);

type Generated = typeof generated extends fc.Arbitrary<infer T> ? T : never;

function flowFrom(nodes: Generated): Flow {
  const id = (index: number) => (index < nodes.length ? `n${index}` : 'done');
  const all = nodes.map((node, index) => {
    const catches = {
      catch: [{ on: ['http.*'], next: id(node.other), assign: { last: `{{ nodes.n${index}.error.code }}` } }],
    };
    const body = node.isSwitch
      ? {
          type: 'switch',
          cases: [{ when: `{{ state.n < ${node.bound} }}`, next: id(node.next) }],
          default: id(node.other),
        }
      : { ...node.action, next: id(node.next), ...(node.catches && catches) };
    return [`n${index}`, { ...body, ...(node.counts && { assign: { n: '{{ state.n + 1 }}' } }) }] as const;
  });
  const done = {
    type: 'end',
    output: { n: '{{ state.n }}', last: '{{ state.last }}', nodes: '{{ nodes }}' },
  };
  return checkedFlow(reached(Object.fromEntries([...all, ['done', done]])), {
    state: { n: 0, last: null },
    egress: ['api.example.com'],
    limits: { max_steps: 25, max_model_calls: 6 },
  });
}

/** Only what the start reaches, because a flow with more is refused. */
function reached(nodes: Readonly<Record<string, object>>): Record<string, object> {
  const kept: Record<string, object> = {};
  const open = ['n0'];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    const node = nodes[id];
    if (!node || id in kept) continue;
    kept[id] = node;
    open.push(
      ...[...JSON.stringify(node).matchAll(/"(?:next|default)":"(\w+)"/g)].map(([, next]) => next ?? ''),
    );
  }
  return kept;
}

/** The same answer for the same call, in whatever process it is made: 200, 404 or 503 by node and visit. */
const script = {
  http: (_request: unknown, { nodeId, visit }: NodeCall) =>
    httpAnswer([200, 404, 503][(nodeId.length + nodeId.charCodeAt(1) + visit) % 3] ?? 200, { visit }),
  model: (_request: unknown, { nodeId, visit }: NodeCall) => modelAnswer(`${nodeId} ${visit}`),
};

async function resumed(flow: Flow, text: string) {
  const snapshot: Snapshot = JSON.parse(text);
  const again = scripted(script);
  return { outcome: await run(flow, again, { snapshot }), again };
}

test('from every snapshot the run ends as it would have', async () => {
  const seen = new Map<Outcome['status'], number>();
  await fc.assert(
    fc.asyncProperty(generated, async (nodes) => {
      const flow = flowFrom(nodes);
      const whole = scripted(script);
      const expected = await run(flow, whole);
      seen.set(expected.status, (seen.get(expected.status) ?? 0) + 1);
      for (const [index, text] of whole.snapshots.entries()) {
        const { outcome, again } = await resumed(flow, text);
        expect(outcome).toEqual(expected);
        expect(again.snapshots).toEqual(whole.snapshots.slice(index + 1));
      }
    }),
    { numRuns: 150 },
  );
  // The property means little if all runs end alike.
  expect([...seen.keys()].sort()).toEqual(['completed', 'failed']);
});

test('handing itself on before every single node changes nothing', async () => {
  await fc.assert(
    fc.asyncProperty(generated, async (nodes) => {
      const flow = flowFrom(nodes);
      const expected = await run(flow, scripted(script));
      const outcome = await nodeByNode(flow);
      expect(outcome).toEqual(expected);
    }),
    { numRuns: 100 },
  );
});

/** Each invocation runs one node: the time to yield comes while it runs. */
async function nodeByNode(flow: Flow): Promise<Outcome> {
  let snapshot: Snapshot | undefined;
  for (;;) {
    const recorded = scripted({ ...script, checkpoint: () => recorded.clock.pass(1) });
    const yieldAt = recorded.clock.monotonic() + 1;
    const outcome = await run(flow, recorded, {
      yieldAt,
      ...(snapshot && { snapshot: { ...snapshot, elapsedMs: 0 } }),
    });
    if (outcome.status !== 'yielded') return outcome;
    snapshot = JSON.parse(JSON.stringify(outcome.snapshot)) satisfies Snapshot;
  }
}
