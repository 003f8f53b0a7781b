// `ask`: asks the caller of the run a question, which may be answered hours later. Its output is the answer.
import * as z from 'zod';
import type { Json } from '#lib/json/json.ts';
import { jsonBytes } from '#lib/json/size.ts';
import { lazy } from '#lib/lazy.ts';
import { preview } from '../engine/log-preview.ts';
import type { NodeContext, Paused } from '../engine/node-context.ts';
import { template, typedTemplate } from '../expression/template.ts';
import { asText } from '../expression/text.ts';
import { isList } from '../format/json-value.ts';
import { limits } from '../format/limits.ts';
import { NodeError } from '../format/node-error.ts';
import { jsonSchema, nodeId, onward, pausingNode } from '../format/node-fields.ts';
import { needs, ruled } from '../format/notes.ts';
import { oneExpression } from './expression-field.ts';
import type { NodeChecks, NodeType } from './node-type.ts';

export const askSchema = /* @__PURE__ */ lazy(() =>
  ruled(
    z
      .strictObject({
        type: z.literal('ask'),
        ...pausingNode(),
        ...onward(),
        prompt: z.string().min(1).meta({ description: 'The question; template.' }),
        schema: jsonSchema().optional().meta({
          description:
            'JSON Schema of the answer; an answer that does not match is refused, and the question stays open.',
        }),
        choices: z
          .union([
            z.array(z.string().min(1)).min(1).max(limits.choicesMax),
            oneExpression('expected a list of texts, or one expression that gives one'),
          ])
          .optional()
          .meta({
            description:
              'Answers to choose from: texts with templates, or one expression that gives a list of texts.',
          }),
        timeout_seconds: z.number().positive().max(limits.pauseSecondsMax).optional().meta({
          description:
            'Seconds that the question is open, up to 30 days; without it the question does not expire.',
        }),
        on_timeout: nodeId().optional().meta({
          description:
            'Id of the node to continue with when the question expires; without it the node fails.',
        }),
      })
      .meta({
        description: 'Asks whoever started the run a question and waits for the answer, which is the output.',
      }),
    [needs('on_timeout', 'timeout_seconds', ['on_timeout'])],
  ),
);

type AskNode = z.infer<ReturnType<typeof askSchema>>;

export const askChecks: NodeChecks<AskNode> = {
  check: (node, around, report) => {
    for (const { path, detail } of around.schemaProblems(node.schema)) report(['schema', ...path], detail);
  },
};

export const ask: NodeType<AskNode> = {
  templates: ['prompt', 'choices'],
  pauses: () => true,
  targets: ({ on_timeout }) => (on_timeout === undefined ? [] : [{ path: ['on_timeout'], id: on_timeout }]),
  prepare: (node) => {
    const question = prepareQuestion(node);
    return async (context) => {
      const { answer, isDue } = context;
      if (answer) return { output: answer.value, note: `was answered: ${preview(answer.value, 200)}` };
      if (!isDue) return await question(context);
      if (node.on_timeout !== undefined)
        return { output: null, next: node.on_timeout, note: `got no answer, goes to ${node.on_timeout}` };
      throw new NodeError('ask.timeout', `Nobody answered within ${node.timeout_seconds} s.`);
    };
  },
};

function prepareQuestion(node: AskNode): (context: NodeContext) => Promise<Paused> {
  const { schema, timeout_seconds: seconds } = node;
  const prompt = template(node.prompt);
  const choices = node.choices === undefined ? undefined : typedTemplate(node.choices);
  return async ({ at, now }) => ({
    pause: {
      kind: 'input',
      purpose: 'ask',
      prompt: checkPrompt(asText(await prompt(at))),
      ...(schema && { schema }),
      ...(choices && { choices: checkChoices(await choices(at)) }),
      ...(seconds !== undefined && { expires_at: new Date(now() + seconds * 1000).toISOString() }),
    },
  });
}

function checkPrompt(prompt: string): string {
  if (jsonBytes(prompt, limits.promptBytes) <= limits.promptBytes) return prompt;
  throw new NodeError('value.too_large', `prompt: expected at most ${limits.promptBytes} bytes.`);
}

function checkChoices(choices: Json): readonly string[] {
  const texts = isList(choices) ? choices.filter((choice) => typeof choice === 'string') : [];
  const isRight = isList(choices) && texts.length === choices.length && texts.length > 0;
  if (isRight && texts.length <= limits.choicesMax && jsonBytes(texts) <= limits.promptBytes) return texts;
  throw new NodeError(
    'ask.bad_choices',
    `choices: expected a list of 1 to ${limits.choicesMax} short texts.`,
  );
}
