// `llm`: one turn of a model. Output: its text, or the object that `output_schema` describes.
import * as z from 'zod';
import { lazy } from '#lib/lazy.ts';
import { preview } from '../engine/log-preview.ts';
import { checkRequestSize } from '../engine/request-size.ts';
import type { RenderAt } from '../expression/evaluation.ts';
import { type Render, template } from '../expression/template.ts';
import { asText } from '../expression/text.ts';
import { limits } from '../format/limits.ts';
import { everyNode, onward } from '../format/node-fields.ts';
import { exactlyOne, named, ruled } from '../format/notes.ts';
import type { ModelMessage } from '../ports/model.ts';
import { askModels, checkModel, modelChoices } from './model-choice.ts';
import { answerFields, modelField, settingFields, streamRule } from './model-settings.ts';
import type { NodeType } from './node-type.ts';

const message = () =>
  named(
    'message',
    z
      .strictObject({
        role: z
          .enum(['user', 'assistant'])
          .meta({ description: 'Who wrote the message: the user or the model.' }),
        content: z.string().min(1).meta({ description: 'Text of the message; template.' }),
      })
      .meta({ title: 'Message', description: 'One message of the conversation with a model.' }),
  );

export const llmSchema = /* @__PURE__ */ lazy(() =>
  ruled(
    z
      .strictObject({
        type: z.literal('llm'),
        ...everyNode(),
        ...onward(),
        prompt: z
          .string()
          .min(1)
          .optional()
          .meta({ description: 'One message of the user; template. Either this or `messages`.' }),
        messages: z
          .array(message())
          .min(1)
          .max(limits.messagesMax)
          .optional()
          .meta({ description: 'The conversation so far, instead of `prompt`.' }),
        system: z
          .string()
          .min(1)
          .optional()
          .meta({ description: 'System prompt; template. Text from outside belongs in `prompt`.' }),
        model: modelField(),
        ...answerFields(),
        ...settingFields(),
      })
      .meta({
        description: 'One call of a model; the output is its text, or the object of `output_schema`.',
      }),
    [exactlyOne('prompt', 'messages'), streamRule()],
  ),
);

type LlmNode = z.infer<ReturnType<typeof llmSchema>>;

export const llm: NodeType<LlmNode> = {
  templates: ['prompt', 'messages', 'system'],
  check: (node, around, report) => {
    checkModel(node, around, report);
    for (const { path, detail } of around.schemaProblems(node.output_schema))
      report(['output_schema', ...path], detail);
  },
  /** A second call corrects the answer of the first. */
  uses: ({ model, output_schema }) => ({ models: [{ name: model, calls: output_schema ? 2 : 1 }] }),
  prepare: (node, around) => {
    const choices = modelChoices(node.model, around);
    const messages = prepareMessages(node);
    const system = node.system === undefined ? undefined : template(node.system);
    return async (context) => {
      const instructions = await renderText(system, context.at);
      const request = {
        messages: await messages(context.at),
        ...(instructions !== undefined && { system: instructions }),
        ...(node.output_schema && { output_schema: node.output_schema }),
      };
      const callerText = node.stream ? context.callerText() : undefined;
      const answer = await askModels(request, {
        choices,
        context,
        settings: node,
        onCut: node.on_cut,
        takeCorrection: () => true,
        callerText,
      });
      callerText?.end(asText(answer.output));
      return { output: answer.output, note: `${answer.model}: ${preview(answer.output)}` };
    };
  },
};

function prepareMessages(node: LlmNode): (at: RenderAt) => Promise<readonly ModelMessage[]> {
  const request = node.messages ?? [{ role: 'user' as const, content: node.prompt ?? '' }];
  const parts = request.map(({ role, content }) => ({ role, content: template(content) }));
  return async (at) => {
    const messages: { role: 'user' | 'assistant'; content: string }[] = [];
    for (const { role, content } of parts) messages.push({ role, content: asText(await content(at)) });
    return checkRequestSize('messages', messages);
  };
}

async function renderText(render: Render | undefined, at: RenderAt): Promise<string | undefined> {
  return render && asText(await render(at));
}
