// Calls of models: what they cost, also when they fail, and the text that is received while they write.
import { expect, test } from 'vitest';
import { NodeError } from '#lib/flow/format/node-error.ts';
import { checkedFlow, modelAnswer, run, scripted } from '../scripted.ts';

test('tokens of an answer that was refused count as well', async () => {
  const recorded = scripted({
    model: () => {
      throw new NodeError('model.invalid_output', 'Not JSON.', { tokens: { input: 30, output: 30 } });
    },
  });
  const again = { type: 'llm', prompt: 'x', catch: [{ on: ['*'], next: 'a' }] };
  const outcome = await run(checkedFlow({ a: again }, { limits: { max_tokens: 100 } }), recorded);
  expect(outcome).toMatchObject({ error: { code: 'limit.tokens' } });
  expect(recorded.prompts).toHaveLength(2);
});

test('the text of a model is received while it writes, up to a limit, and never after its answer', async () => {
  const heard: string[] = [];
  let late: ((piece: string) => void) | undefined;
  const recorded = scripted({
    model: (_request, call) => {
      late = call.onText;
      for (const piece of ['Hel', '', 'lo', 'x'.repeat(300_000), 'y']) call.onText?.(piece);
      return modelAnswer('Hello');
    },
    text: ({ node_id, key, text }) => void heard.push(`${node_id} ${key} ${text}`),
  });
  await run(checkedFlow({ a: { type: 'llm', prompt: 'x' } }), recorded);
  late?.('late');
  expect(heard.slice(0, 2)).toEqual(['a a.1 Hel', 'a a.1 lo']);
  expect(heard).toHaveLength(3);
  expect(heard.join('').length).toBeLessThan(263_000);
});

test('an answer that is an object is not received in pieces', async () => {
  const recorded = scripted({
    model: (_request, call) => {
      expect(call.onText).toBeUndefined();
      return modelAnswer({});
    },
    text: () => undefined,
  });
  const { status } = await run(checkedFlow({ a: { type: 'llm', prompt: 'x', output_schema: {} } }), recorded);
  expect(status).toBe('completed');
});
