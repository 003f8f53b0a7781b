// `conversation` of `llm` and `agent`: what was said in earlier runs.
import { describe, expect, test } from 'vitest';
import { NodeError } from '#lib/flow/format/node-error.ts';
import type { ModelAnswer, ModelRequest } from '#lib/flow/ports/model.ts';
import type { StorePort } from '#lib/flow/ports/store.ts';
import { memoryStore } from '#lib/flow/testing/memory-store.ts';
import { says, turns, wants } from '../agent/scripted-agents.ts';
import { modelAnswer, runNodes, type Script } from '../scripted.ts';

const lastText = ({ messages }: ModelRequest) => messages.at(-1)?.content ?? '';
type Model = NonNullable<Script['model']>;
const echo = (request: ModelRequest) => modelAnswer(`re: ${lastText(request)}`);

interface Run {
  readonly fields?: object;
  readonly runId?: string;
  readonly node?: object;
  readonly model?: Model;
}

/** One run with a message. */
async function say(store: StorePort, message: string, { fields = {}, runId, node, model = echo }: Run = {}) {
  const nodes = { s: { type: 'llm', prompt: '{{ input.message }}', ...node, conversation: fields } };
  const options = { input: { message, user_variables: {} }, runId: runId ?? `run ${message}` };
  const script = { store, model, pauseMsMax: 1_000 };
  const { outcome, prompts, entries } = await runNodes(nodes, script, { options });
  const [first] = prompts;
  return {
    outcome,
    prompts,
    entries,
    seen: first?.messages.map(({ role, content }) => `${role}: ${content}`),
  };
}

test('the model sees the turns of earlier runs, oldest first', async () => {
  const store = memoryStore(true);
  await say(store, 'a');
  await say(store, 'b');
  expect((await say(store, 'c')).seen).toEqual([
    'user: a',
    'assistant: re: a',
    'user: b',
    'assistant: re: b',
    'user: c',
  ]);
});

test('an execution that is repeated neither sees its own turn nor adds it twice', async () => {
  const store = memoryStore(true);
  await say(store, 'a', { runId: 'run' });
  expect((await say(store, 'a', { runId: 'run' })).seen).toEqual(['user: a']);
  expect((await say(store, 'b')).seen).toEqual(['user: a', 'assistant: re: a', 'user: b']);
});

describe('the conversation', () => {
  test('is that of the key, and each has its own', async () => {
    const store = memoryStore(false);
    const of = (key: string) => ({ fields: { key: `{{ "${key}" }}` } });
    await say(store, 'a', of('one'));
    expect((await say(store, 'b', of('two'))).seen).toEqual(['user: b']);
    expect((await say(store, 'c', of('one'))).seen).toHaveLength(3);
  });

  test('of a run without context and key is none, and the log says so', async () => {
    const store = memoryStore(false);
    await say(store, 'a');
    const { seen, entries } = await say(store, 'b');
    expect(seen).toEqual(['user: b']);
    expect(entries.map(({ message }) => message)).toContainEqual(
      expect.stringContaining('no conversation: this run has no A2A context'),
    );
  });

  test('of a key that is no text fails', async () => {
    const { outcome } = await say(memoryStore(false), 'a', { fields: { key: '{{ [] }}' } });
    expect(outcome).toMatchObject({ status: 'failed', error: { code: 'store.bad_key' } });
  });
});

test('only the latest turns are seen and kept: by number, by estimated tokens and by size', async () => {
  for (const [fields, text, kept] of [
    [{ turns: 3 }, 'x', 3],
    [{ max_tokens: 60 }, 'x'.repeat(48), 2],
    [{ turns: 200 }, 'x'.repeat(60_000), 2],
  ] as const) {
    const store = memoryStore(true);
    for (let n = 1; n <= 5; n++) await say(store, `${n}${text}`, { fields, runId: `run ${n}` });
    const { seen } = await say(store, 'last', { fields });
    const users = seen?.filter((line) => line.startsWith('user')).map((line) => line.slice(6, 7));
    expect(users, JSON.stringify(fields)).toEqual([...['1', '2', '3', '4', '5'].slice(-kept), 'l']);
  }
});

describe('a summary', () => {
  const isSummary = (request: ModelRequest) => lastText(request).startsWith('Summarize our conversation');
  const summing: Model = (request) =>
    isSummary(request) ? modelAnswer(`sum of ${request.messages.length}`) : echo(request);
  const fields = { turns: 4, summary: true };

  test('takes the place of the older half, and of the summary before it', async () => {
    const store = memoryStore(true);
    for (const n of [1, 2, 3, 4, 5]) await say(store, `${n}`, { fields, model: summing });
    const { seen } = await say(store, '6', { fields, model: summing });
    expect(seen).toEqual([
      'user: What was said before?',
      'assistant: sum of 7',
      'user: 4',
      'assistant: re: 4',
      'user: 5',
      'assistant: re: 5',
      'user: 6',
    ]);
    for (const n of [7, 8]) await say(store, `${n}`, { fields, model: summing });
    const later = await say(store, '9', { fields, model: summing });
    expect(later.seen?.slice(0, 3)).toEqual([
      'user: What was said before?',
      'assistant: sum of 9',
      'user: 7',
    ]);
  });

  test('that fails drops the turns, and the log says so', async () => {
    const store = memoryStore(true);
    const model: Model = (request) => {
      if (isSummary(request)) throw new NodeError('model.unavailable', 'Down.');
      return echo(request);
    };
    for (const n of [1, 2, 3, 4]) await say(store, `${n}`, { fields, model });
    const { outcome, entries } = await say(store, '5', { fields, model });
    expect(outcome.status).toBe('completed');
    expect(entries.map(({ message }) => message)).toContainEqual(
      'model.unavailable: Down. The oldest turns are dropped without a summary.',
    );
    expect((await say(store, '6', { fields, model })).seen?.[0]).toBe('user: 4');
  });
});

test('runs that answer at the same time lose no turn', async () => {
  const store = memoryStore(true);
  const texts = Array.from({ length: 16 }, (_, n) => `text ${n}`);
  const said = await Promise.all(texts.map((text) => say(store, text)));
  expect(said.map(({ outcome }) => outcome.status)).toEqual(texts.map(() => 'completed'));
  const { seen } = await say(store, 'last');
  expect(seen?.filter((line) => line.startsWith('user')).sort()).toEqual(
    [...texts, 'last'].map((text) => `user: ${text}`).sort(),
  );
});

test('a conversation to which others add without end fails with store.conflict', async () => {
  const store: StorePort = { ...memoryStore(true), write: async () => undefined };
  expect((await say(store, 'a')).outcome).toMatchObject({
    status: 'failed',
    error: { code: 'store.conflict' },
  });
});

test('an answer with a schema is kept as its JSON; one that is empty is not kept', async () => {
  const store = memoryStore(true);
  const node = { output_schema: { type: 'object' } };
  await say(store, 'a', { node, model: () => modelAnswer({ n: 1 }) });
  await say(store, 'b', { model: () => modelAnswer('') });
  expect((await say(store, 'c')).seen).toEqual(['user: a', 'assistant: {"n":1}', 'user: c']);
});

test('an agent continues it, with its final answer and without its uses of tools', async () => {
  const store = memoryStore(true);
  const agent = {
    type: 'agent',
    instructions: 'Be brief.',
    capture: { x: { description: 'X', schema: { type: 'string' } } },
    conversation: {},
  };
  const ask = async (message: string, ...script: readonly ModelAnswer[]) => {
    const options = { input: { message, user_variables: {} }, runId: `run ${message}` };
    const { prompts } = await runNodes({ agent }, { store, model: turns(...script) }, { options });
    return prompts;
  };
  await ask('a', wants(['capture', { x: '1' }]), says('A'));
  const [first, second] = await ask('b', wants(['capture', { x: '2' }]), says('B'));
  expect(first?.messages).toMatchObject([{ content: 'a' }, { content: 'A' }, { content: 'b' }]);
  expect(second?.messages).toHaveLength(5);
  const [third] = await ask('c', says('C'));
  expect(third?.messages.map(({ content }) => content)).toEqual(['a', 'A', 'b', 'B', 'c']);
});
