// Providers that ignore `stream: true`: their whole answer is the same as a stream of one piece, over HTTP.
import { afterEach, expect, test, vi } from 'vitest';
import type { JsonObject } from '#lib/json/json.ts';
import { startModelServer } from '#test/support/model-server.ts';
import { runOver } from './model-flow.ts';

afterEach(() => void vi.unstubAllEnvs());

const asking = (more: JsonObject = {}) => ({
  a: { type: 'llm', prompt: 'hello', stream: true, ...more, next: 'done' },
  done: { type: 'end', output: { text: '{{ nodes.a }}' } },
});

test('the caller receives the text, and its tokens count', async () => {
  const tokens = { input: 30, output: 7 };
  await using server = await startModelServer({ ignoresStream: true, text: 'Refunded.', tokens });
  const { outcome, pieces, entries } = await runOver(asking(), { model: 'compatible', server });
  expect(server.asked[0]).toMatchObject({ stream: true });
  expect(outcome).toEqual({ status: 'completed', response: { text: 'Refunded.' } });
  expect(pieces.map(({ text }) => text).join('')).toBe('Refunded.');
  expect(entries.find(({ tokens: counted }) => counted)).toMatchObject({ tokens });
});

test('an agent uses the tools that it calls', async () => {
  const call = (text: string) => ({ name: 'say', args: { text } });
  await using server = await startModelServer(
    { ignoresStream: true, calls: [call('One.'), call('Two.')] },
    { ignoresStream: true, text: 'Done.' },
  );
  const agent = { type: 'agent', instructions: 'Help.', tools: [{ say: {} }], stream: true, next: 'done' };
  const nodes = { a: agent, done: { type: 'end', output: { text: '{{ nodes.a.text }}' } } };
  const { outcome, replies } = await runOver(nodes, {
    model: 'compatible',
    server,
    options: { input: { message: 'hello', user_variables: {} } },
  });
  expect(outcome).toEqual({ status: 'completed', response: { text: 'Done.' } });
  expect(JSON.stringify(replies)).toMatch(/One\..*Two\./);
});

test.each([
  ['an answer that was cut off is one', { isCut: true, text: 'Refu' }, 'model.cut'],
  [
    'an error with status 200 is one',
    { refusal: { status: 200, body: { error: { message: 'No.', code: 429 } } } },
    'model.rate_limited',
  ],
  [
    'JSON that is no completion is no answer',
    { refusal: { status: 200, body: { ok: true } } },
    'model.bad_answer',
  ],
])('%s', async (_what, turn, code) => {
  await using server = await startModelServer({ ignoresStream: true, ...turn });
  const { outcome } = await runOver(asking({ on_cut: 'fail' }), { model: 'compatible', server });
  expect(outcome).toMatchObject({ status: 'failed', error: { code } });
});
