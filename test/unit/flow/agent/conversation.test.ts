// What an `agent` keeps of its conversation: turns that are over, and what providers want back with them.
import { describe, expect, test } from 'vitest';
import type { Snapshot } from '#lib/flow/engine/snapshot.ts';
import type { LogEntry } from '#lib/flow/ports/log-entry.ts';
import type { Json } from '#lib/json/json.ts';
import { type Recorded, run, scripted } from '../scripted.ts';
import { agentFlow, question, readAgentOutput, runAgent, says, turns, wants } from './scripted-agents.ts';

const look = {
  http: { url: 'https://api.example.com/{{ args.what }}' },
  name: 'look',
  description: 'Looks something up.',
  parameters: { type: 'object', properties: { what: { type: 'string' } }, required: ['what'] },
};
const egress = { egress: ['api.example.com'] };

test('a snapshot that is taken while the last turn is over but not its node has nothing of that turn, and the turn can be taken again', async () => {
  const agent = { tools: [look], max_turns: 2 };
  const flow = agentFlow(agent, egress);
  const kept: { latest?: Snapshot; taken?: string } = {};
  const recorded = scripted({
    model: turns(wants(['look', { what: 'a' }]), says('It is a.')),
    checkpoint: (snapshot) => {
      kept.latest = snapshot;
    },
  });
  // The snapshot shares its parts with the run, so it shows what a scope beside this one would keep now.
  const take = () => {
    kept.taken = JSON.stringify(kept.latest);
  };
  const log = ({ message }: LogEntry) => {
    if (message.endsWith('answers')) queueMicrotask(take);
  };
  await run(flow, recorded, { ...question, ports: { ...recorded.ports, log } });
  const again = scripted({ model: turns(says('It is a.')) });
  const snapshot = JSON.parse(kept.taken ?? '');
  expect(readAgentOutput(await run(flow, again, { ...question, snapshot }))).toMatchObject({
    text: 'It is a.',
    turns: 2,
  });
});

describe('what a provider wants back with a turn', () => {
  const wantsLook = (provider_parts: Json) => ({ ...wants(['look', { what: 'a' }]), provider_parts });
  const partsIn = ({ prompts }: Recorded) =>
    prompts.at(-1)?.messages.map((message) => ('provider_parts' in message ? message.provider_parts : null));

  test('is part of the conversation, as it was given', async () => {
    const parts = { signed: ['a', { b: 1 }] };
    const recorded = await runAgent(
      { tools: [look] },
      { model: turns(wantsLook(parts), says('ok')) },
      egress,
    );
    expect(partsIn(recorded)).toEqual([null, parts, null]);
  });

  test('is removed from the oldest turn on when it grows too large, and the agent continues', async () => {
    const parts = (n: number) => String(n).repeat(100 * 1024);
    const answers = [1, 2, 3].map((n) => wantsLook(parts(n)));
    const recorded = await runAgent({ tools: [look] }, { model: turns(...answers, says('ok')) }, egress);
    expect(partsIn(recorded)).toEqual([null, null, null, parts(2), null, parts(3), null]);
    expect(readAgentOutput(recorded.outcome)).toMatchObject({ text: 'ok', turns: 4 });
  });
});
