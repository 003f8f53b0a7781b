// Agents whose conversation becomes longer than their memory, or than the context of their model: over the real model
// port, with a scripted model server.
import { afterEach, describe, expect, test, vi } from 'vitest';
import { isObject } from '#lib/flow/format/json-value.ts';
import { limits } from '#lib/flow/format/limits.ts';
import type { Json } from '#lib/json/json.ts';
import { jsonBytes } from '#lib/json/size.ts';
import { type ScriptedTurn, startModelServer } from '#test/support/model-server.ts';
import { httpAnswer } from '../flow/scripted.ts';
import { modelIds, runOver } from './model-flow.ts';

afterEach(() => vi.unstubAllEnvs());

const look = {
  name: 'look',
  description: 'Looks something up.',
  parameters: { type: 'object', properties: { n: { type: 'integer' } } },
  http: { url: 'https://api.example.com/{{ args.n }}' },
};
const agent = {
  type: 'agent',
  instructions: 'The system prompt.',
  input: 'The first message.',
  tools: [look],
  max_turns: 100,
};
const flow = {
  egress: ['api.example.com'],
  limits: { max_model_calls: 200, max_tokens: 1_000_000 },
};
const nodesWith = (more: object = {}) => ({
  work: { ...agent, ...more, next: 'done' },
  done: { type: 'end', output: { work: '{{ nodes.work }}' } },
});

const looks = (n: number): ScriptedTurn => ({ calls: [{ name: 'look', args: { n } }] });
const turns = (count: number) => Array.from({ length: count }, (_, n) => looks(n));
const done: ScriptedTurn = { text: 'Done.' };
const refused: ScriptedTurn = {
  refusal: { status: 400, body: { message: 'Input is too long for requested model.' } },
};

/** The result of a tool: 31 KB that name the request. */
const script = { http: ({ url }: { url: string }) => httpAnswer(200, `${url} ${'x'.repeat(31_000)}`) };
/** The largest snapshot that was stored. */
const findLargest = (snapshots: readonly string[]) =>
  Math.max(...snapshots.map((snapshot) => readMemory(snapshot)).map((memory) => jsonBytes(memory)));

function readMemory(snapshot: string): Json {
  const { entered } = JSON.parse(snapshot);
  return isObject(entered) ? (entered.memory ?? null) : null;
}

describe.each(modelIds)('an agent of the model "%s"', (model) => {
  test('drops the oldest results of its tools before its memory is full, and the log says so', async () => {
    await using server = await startModelServer(...turns(40), done);
    const { outcome, entries, snapshots } = await runOver(nodesWith(), { model, server, script, flow });
    expect(outcome).toMatchObject({ status: 'completed', response: { work: { text: 'Done.', turns: 41 } } });
    const dropped = entries.filter(({ event }) => event === 'compacted');
    expect(dropped).toMatchObject([
      {
        level: 'warn',
        message: expect.stringMatching(
          /^dropped \d+ results of tools of the conversation, \d+ bytes, because its memory was above 786432 bytes\.$/,
        ),
      },
      { level: 'warn' },
    ]);
    expect(findLargest(snapshots)).toBeLessThanOrEqual(limits.compactionBytes);
    const last = JSON.stringify(server.asked.at(-1));
    expect(last).toContain('The system prompt.');
    expect(last).toContain('The first message.');
    expect(last).toContain('[Dropped to make room in the conversation: 310');
    expect(last).not.toContain('https://api.example.com/0 ');
    for (const n of [37, 38, 39]) expect(last).toContain(`https://api.example.com/${n} `);
  });

  test('drops half of its conversation once when it is too long for the model', async () => {
    await using server = await startModelServer(...turns(6), refused, done);
    const { outcome, entries } = await runOver(nodesWith(), { model, server, script, flow });
    expect(outcome).toMatchObject({ status: 'completed', response: { work: { text: 'Done.', turns: 8 } } });
    expect(entries.filter(({ event }) => event === 'compacted')).toMatchObject([
      { message: expect.stringContaining('dropped 4 results of tools'), level: 'warn' },
    ]);
    const last = JSON.stringify(server.asked.at(-1));
    expect(last).not.toContain('https://api.example.com/3 ');
    expect(last).toContain('https://api.example.com/4 ');
  });

  test('fails with model.context_exceeded when that was not enough', async () => {
    await using server = await startModelServer(...turns(4), refused, refused);
    const { outcome } = await runOver(nodesWith(), { model, server, script, flow });
    expect(outcome).toMatchObject({ status: 'failed', error: { code: 'model.context_exceeded' } });
    expect(server.asked).toHaveLength(6);
  });

  test('fails at once when there is nothing to drop', async () => {
    await using server = await startModelServer(refused);
    const { outcome, entries } = await runOver(nodesWith(), { model, server, script, flow });
    expect(outcome).toMatchObject({ error: { code: 'model.context_exceeded' } });
    expect(entries.filter(({ event }) => event === 'compacted')).toEqual([]);
  });
});

test('an agent whose results are small drops its oldest turns, and tells the model', async () => {
  const long = 'y'.repeat(30_000);
  const argued = (n: number): ScriptedTurn => ({ calls: [{ name: 'look', args: { n, long } }] });
  await using server = await startModelServer(...Array.from({ length: 40 }, (_, n) => argued(n)), done);
  const parameters = { type: 'object', properties: { n: { type: 'integer' }, long: { type: 'string' } } };
  const node = { tools: [{ ...look, parameters }] };
  const small = { http: () => httpAnswer(200, 'ok') };
  const { outcome, entries } = await runOver(nodesWith(node), { model: 'nova', server, script: small, flow });
  expect(outcome).toMatchObject({ response: { work: { text: 'Done.' } } });
  expect(entries.find(({ event }) => event === 'compacted')?.message).toMatch(/dropped \d+ whole turns/);
  const last = JSON.stringify(server.asked.at(-1));
  expect(last).toContain('The first message.');
  expect(last).toMatch(/the \d+ oldest turns, in which you used tools/);
});

test('results of one turn that do not fit together are dropped from the first on', async () => {
  const calls = Array.from({ length: 8 }, (_, n) => ({ name: 'look', args: { n } }));
  await using server = await startModelServer({ calls }, done);
  const large = { http: ({ url }: { url: string }) => httpAnswer(200, `${url} ${'x'.repeat(180_000)}`) };
  const { outcome } = await runOver(nodesWith(), {
    model: 'compatible',
    server,
    script: large,
    flow: { ...flow, limits: { ...flow.limits, max_tool_output_bytes: 204_800 } },
  });
  expect(outcome).toMatchObject({ response: { work: { text: 'Done.' } } });
  const last = JSON.stringify(server.asked.at(-1));
  expect(last).not.toContain('https://api.example.com/0 ');
  expect(last).toContain('https://api.example.com/7 ');
});

test('the conversation of a child agent counts too', async () => {
  const child = {
    name: 'helper',
    description: 'Helps.',
    instructions: 'Help.',
    tools: [look],
    max_turns: 100,
  };
  const delegates: ScriptedTurn = { calls: [{ name: 'helper', args: { message: 'The task.' } }] };
  await using server = await startModelServer(delegates, ...turns(40), { text: 'Helped.' }, done);
  const node = { tools: undefined, agents: [child] };
  const { outcome, entries, snapshots } = await runOver(nodesWith(node), {
    model: 'claude',
    server,
    script,
    flow,
  });
  expect(outcome).toMatchObject({ status: 'completed', response: { work: { text: 'Done.' } } });
  expect(entries.filter(({ event }) => event === 'compacted')[0]?.message).toMatch(/^helper: dropped/);
  expect(findLargest(snapshots)).toBeLessThanOrEqual(limits.compactionBytes);
});

test('an agent that an earlier release has paused resumes and drops results', async () => {
  const approved = { ...look, approval: 'always' };
  const node = { tools: [look, { ...approved, name: 'pay' }] };
  await using server = await startModelServer(
    ...turns(5),
    { calls: [{ name: 'pay', args: { n: 9 } }] },
    refused,
    done,
  );
  const given = { model: 'nova', server, script, flow };
  const paused = await runOver(nodesWith(node), given);
  if (!('snapshot' in paused.outcome)) throw new Error(JSON.stringify(paused.outcome));
  const snapshot = JSON.parse(JSON.stringify(paused.outcome.snapshot));
  const { conversation } = snapshot.entered.memory;
  expect(conversation).toHaveProperty('dropped_turns', 0);
  delete conversation.dropped_turns;
  const { outcome } = await runOver(nodesWith(node), {
    ...given,
    options: { snapshot, answer: { value: 'approve' } },
  });
  expect(outcome).toMatchObject({ status: 'completed', response: { work: { text: 'Done.' } } });
  expect(JSON.stringify(server.asked.at(-1))).toContain('[Dropped to make room');
});
