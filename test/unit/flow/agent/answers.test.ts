// An agent receives its answer just as its invocation ends. Whenever the run yields, and from whatever
// snapshot another worker resumes, no answer is lost and no question is asked twice.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Flow } from '#lib/flow/definition/flow.ts';
import type { Answer } from '#lib/flow/engine/answer.ts';
import type { Ports } from '#lib/flow/engine/ports.ts';
import type { Outcome } from '#lib/flow/engine/run-flow.ts';
import type { AgentRequest } from '#lib/flow/ports/agent.ts';
import type { ModelRequest } from '#lib/flow/ports/model.ts';
import { breathing } from '../driven.ts';
import { checkedFlow, httpAnswer, type Recorded, run, type Script, scripted } from '../scripted.ts';
import { createFlowPort, question, says, wants } from './scripted-agents.ts';

const pay = {
  http: { method: 'POST', url: 'https://api.example.com/{{ args.id }}' },
  name: 'pay',
  description: 'Pays.',
  parameters: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] },
  approval: 'always',
};
const clerk = { a2a: 'https://agents.example/clerk', name: 'clerk', description: 'Asks back.' };
const inner = { flow: 'inner', name: 'inner', description: 'Asks back.' };
const talker = { ask_user: {}, name: 'talker' };
const helper = { name: 'helper', description: 'Helps.', instructions: 'Help.', tools: [pay] };

const agent = {
  type: 'agent',
  instructions: 'Be brief.',
  tools: [pay, clerk, inner, talker, { mcp: 'https://tools.example/mcp' }],
  agents: [helper],
};

/** Each kind of tool that asks. */
const kinds = ['pay', 'clerk', 'inner', 'helper', 'talker'] as const;
type Kind = (typeof kinds)[number];

/** What each tool takes, if it is no message. */
const fields: ReadonlyMap<Kind, string> = new Map([
  ['pay', 'id'],
  ['talker', 'question'],
]);

const { port: flows } = createFlowPort({
  inner: checkedFlow({
    sure: { type: 'ask', prompt: 'Sure of {{ input.message }}?', next: 'done' },
    done: { type: 'end', output: { sure: '{{ nodes.sure }}' } },
  }),
});

/** All that is outside, the same in every process: what it is asked decides what it says. */
const outside = (wanted: readonly Kind[]): Script => ({
  flows,
  model: ({ messages, system }: ModelRequest) => {
    const results = messages.flatMap((message) => (message.role === 'tool' ? [message.content] : []));
    if (results.length > 0) return says(results.join(' | '));
    const from = messages[0]?.content ?? '';
    if (system === 'Help.') return wants(['pay', { id: from }]);
    const wish = (kind: Kind, n: number) =>
      [kind, { [fields.get(kind) ?? 'message']: `${from}${n}` }] as const;
    return wants(...wanted.map(wish));
  },
  agent: async ({ text = '', task_id }: AgentRequest) =>
    task_id === undefined
      ? { state: 'input_required', task_id: text, text: `What of ${text}?` }
      : { state: 'completed', text: `${task_id}: ${text}` },
  http: ({ url }) => httpAnswer(200, url),
  mcp: { list: async () => [], call: async () => ({ content: '', isError: true }) },
});

const egress = ['api.example.com', 'agents.example', 'tools.example'];
const done = { type: 'end', output: { work: '{{ nodes.work }}' } };
const alone = checkedFlow({ work: { ...agent, input: 'a', next: 'done' }, done }, { egress });
const inMap = checkedFlow(
  {
    work: {
      type: 'map',
      items: ['a', 'b'],
      body: { start: 'one', nodes: { one: { ...agent, input: '{{ item }}' } } },
      next: 'done',
    },
    done,
  },
  { egress },
);
const inParallel = checkedFlow(
  {
    work: {
      type: 'parallel',
      branches: {
        one: { start: 'first', nodes: { first: { ...agent, input: 'a' } } },
        two: { start: 'second', nodes: { second: { ...agent, input: 'b' } } },
      },
      next: 'done',
    },
    done,
  },
  { egress },
);

/**
 * How an invocation ends early: it yields after so many reads of the clock, or its worker dies after so many
 * snapshots.
 */
interface Interruption {
  readonly looks?: number;
  readonly snapshots?: number;
}

interface Ended {
  readonly outcome: Outcome;
  /** Prompts, each as often as somebody was asked. */
  readonly asked: string[];
  /** URLs, each as often as it was called. */
  readonly called: string[];
  /** Whether the last interruption still came before the end of its invocation. */
  readonly wasInTime: boolean;
}

/**
 * From question to question, the n-th invocation with the n-th interruption. The last question is answered
 * first.
 */
async function toTheEnd(
  flow: Flow,
  script: Script,
  interruptions: readonly (Interruption | undefined)[],
): Promise<Ended> {
  const [asked, called]: [string[], string[]] = [[], []];
  let [snapshot, answer]: [string | undefined, Answer | undefined] = [undefined, undefined];
  let wasInTime = false;
  for (let n = 0; ; n++) {
    const recorded = scripted(script);
    const { looks, snapshots = Number.POSITIVE_INFINITY } = interruptions[n] ?? {};
    const outcome = await run(flow, recorded, {
      ...question,
      ports: looks === undefined ? breathing(recorded) : overAfter(recorded, looks),
      yieldAt: recorded.clock.monotonic() + 1,
      ...(snapshot !== undefined && { snapshot: JSON.parse(snapshot) }),
      ...(answer && { answer }),
    });
    called.push(...recorded.requests.map(({ url }) => url));
    const hasDied = snapshots < recorded.snapshots.length;
    if (interruptions[n]) wasInTime = hasDied || outcome.status === 'yielded';
    if (hasDied) {
      const kept = recorded.snapshots[snapshots - 1];
      // With none kept, all that the invocation was given comes again.
      if (kept !== undefined) [snapshot, answer] = [kept, undefined];
      continue;
    }
    if (!('snapshot' in outcome)) return { outcome, asked, called, wasInTime };
    snapshot = JSON.stringify(outcome.snapshot);
    answer = undefined;
    const request = outcome.status === 'input_required' ? outcome.requests.at(-1) : undefined;
    if (!request) continue;
    asked.push(request.prompt);
    answer = { id: request.id, value: request.choices ? 'approve' : `re ${request.prompt}` };
  }
}

function overAfter(recorded: Recorded, looks: number): Ports {
  let left = looks;
  const ports = breathing(recorded);
  const monotonic = () => {
    if (left-- === 0) recorded.clock.pass(1);
    return recorded.clock.monotonic();
  };
  return { ...ports, clock: { ...ports.clock, monotonic } };
}

const cases: readonly (readonly [string, Flow, readonly Kind[]])[] = [
  ['an approval', alone, ['pay']],
  ['two approvals', alone, ['pay', 'pay']],
  ['an approval inside an agent of the agent', alone, ['helper']],
  ['questions of two agents beside each other', alone, ['clerk', 'clerk']],
  ['a question of a flow beside those of agents', alone, ['inner', 'clerk', 'clerk']],
  ['questions of flows beside those of agents', alone, ['inner', 'clerk', 'helper', 'inner']],
  ['approvals in a map', inMap, ['pay']],
  ['questions in a map', inMap, ['clerk', 'helper']],
  ['questions of the model beside those of an agent', alone, ['talker', 'clerk', 'talker']],
  ['questions of the model in a map', inMap, ['talker']],
  ['questions in branches', inParallel, ['inner', 'clerk']],
];

describe.each(cases)('%s', (_what, flow, wanted) => {
  test.each([
    ['yields', (n: number): Interruption => ({ looks: n })],
    ['dies', (n: number): Interruption => ({ snapshots: n })],
  ])('is asked once, whenever an invocation %s', async (_how, at) => {
    const expected = await toTheEnd(flow, outside(wanted), []);
    expect(expected.outcome.status).toBe('completed');
    // One invocation before the first question, and one after each.
    for (let invocation = 0; invocation <= expected.asked.length; invocation++) {
      const before = Array<undefined>(invocation).fill(undefined);
      for (let n = 0, isIn = true; isIn; n++) {
        const { outcome, asked, called, wasInTime } = await toTheEnd(flow, outside(wanted), [
          ...before,
          at(n),
        ]);
        expect(asked.sort(), JSON.stringify([invocation, at(n)])).toEqual([...expected.asked].sort());
        expect(outcome).toEqual(expected.outcome);
        if (at(n).looks !== undefined) expect(called.sort()).toEqual([...expected.called].sort());
        isIn = wasInTime;
      }
    }
  });
});

test('so is any, however often its invocations hand themselves on or die', async () => {
  const interruption = fc.option(
    fc.oneof(fc.record({ looks: fc.nat({ max: 30 }) }), fc.record({ snapshots: fc.nat({ max: 8 }) })),
    { nil: undefined },
  );
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(alone, inMap, inParallel),
      fc.array(fc.constantFrom(...kinds), { minLength: 1, maxLength: 4 }),
      fc.array(interruption, { maxLength: 12 }),
      async (flow, wanted, interruptions) => {
        const expected = await toTheEnd(flow, outside(wanted), []);
        expect(expected.outcome.status).toBe('completed');
        const { outcome, asked } = await toTheEnd(flow, outside(wanted), interruptions);
        expect(asked.sort()).toEqual(expected.asked.sort());
        expect(outcome).toEqual(expected.outcome);
      },
    ),
    { numRuns: 100 },
  );
});
