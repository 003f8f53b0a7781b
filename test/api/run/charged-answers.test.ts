// What a run has used and what that costs, over HTTP: providers charge for answers that the run cannot use, too.
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '#lib/json/json.ts';
import { flow } from '#test/support/builders.ts';
import { call } from '#test/support/client.ts';
import { idle } from '#test/support/control.ts';
import { liveAgent } from '#test/support/flows.ts';
import { newModelScript, scriptedModels } from '#test/support/model-script.ts';
import { startedRun } from '#test/support/run-calls.ts';
import { type AnswerEnd, scriptedPrice } from '#test/support/scripted-model.ts';

interface Answer extends Pick<AnswerEnd, 'reason'> {
  readonly text: string;
  readonly tokens: { readonly input: number; readonly output: number };
}

/** A run of one call of the model, which gives these answers, once it has ended. */
async function answered(node: JsonObject, answers: readonly Answer[]) {
  const script = newModelScript();
  const agent = await liveAgent({
    flow: flow({
      models: scriptedModels,
      start: 'ask',
      nodes: {
        ask: { type: 'llm', prompt: '{{ input.message }}', ...node, next: 'done' },
        done: { type: 'end', output: { answer: '{{ nodes.ask }}' } },
      },
    }),
  });
  const workflow_id = await startedRun(agent, script.prompt);
  for (const [index, { text, ...end }] of answers.entries()) await script.answer(text, index + 1, end);
  await idle();
  const params = { workspace_id: agent.workspaceid, workflow_id };
  return (await call('getRunDetail', { key: agent.key, params })).body;
}

/** Of all answers. */
function charged(answers: readonly Answer[]) {
  const [input, output] = answers.reduce(
    ([all, said], { tokens }) => [all + tokens.input, said + tokens.output],
    [0, 0],
  );
  const cost = (input * scriptedPrice.input + output * scriptedPrice.output) / 1_000_000;
  return { tokens: { input, output }, cost_estimate: Number(cost.toFixed(8)), currency: 'USD' };
}

const output_schema = { type: 'object', required: ['n'], properties: { n: { type: 'integer' } } };
const wrong = { text: '{"n":"two"}', tokens: { input: 1_000, output: 40 } };
const cut: Answer = { text: '{"n":', tokens: { input: 1_300, output: 7 }, reason: 'length' };

test('an answer that the model has corrected is charged with the correction', async () => {
  const answers = [wrong, { text: '{"n":2}', tokens: { input: 1_200, output: 9 } }];
  const run = await answered({ output_schema }, answers);
  expect(run).toMatchObject({ status: 'completed', response: { answer: { n: 2 } }, ...charged(answers) });
  expect(run.tokens).toEqual({ input: 2_200, output: 49 });
  expect(run.cost_estimate).toBe(0.007335);
});

describe('a run that fails is charged for', () => {
  const refused: Answer = { text: 'I cannot', tokens: { input: 800, output: 3 }, reason: 'content_filter' };
  test.each<[what: string, code: string, node: JsonObject, answers: readonly Answer[]]>([
    ['both answers of a wrong form', 'model.invalid_output', { output_schema }, [wrong, wrong]],
    ['an answer of a wrong form and its correction, cut off', 'model.cut', { output_schema }, [wrong, cut]],
    ['an object that is cut off', 'model.cut', { output_schema }, [cut]],
    ['a text that is cut off', 'model.cut', { max_tokens: 7, on_cut: 'fail' }, [cut]],
    ['a refusal', 'model.refused', {}, [refused]],
    ['a refusal to give an object', 'model.refused', { output_schema }, [refused]],
    ['a refusal to correct', 'model.refused', { output_schema }, [wrong, refused]],
    [
      'each attempt',
      'model.refused',
      { retry: { max_attempts: 2, on: ['model.refused'], delay_ms: 0 } },
      [refused, refused],
    ],
  ])('%s', async (_, code, node, answers) => {
    const run = await answered(node, answers);
    expect(run).toMatchObject({ status: 'failed', error: expect.stringContaining(`(${code})`) });
    expect(run).toMatchObject(charged(answers));
    const { tokens, cost_estimate } = run;
    expect(run.path[0]).toMatchObject({ node_id: 'ask', tokens, cost_estimate });
  });
});
