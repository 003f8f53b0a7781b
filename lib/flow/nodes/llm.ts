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
import { exactlyOne, named, needs, ruled } from '../format/notes.ts';
import { prepareConversation } from './conversation.ts';
import { conversationField, type SaidMessage } from './conversation-field.ts';
import { askModels, checkModel, modelChoices, textAsker } from './model-choice.ts';
import { answerFields, modelField, settingFields, streamRule } from './model-settings.ts';
import type { NodeChecks, NodeType } from './node-type.ts';

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
        conversation: conversationField(),
        ...answerFields(),
        ...settingFields(),
      })
      .meta({
        description: 'One call of a model; the output is its text, or the object of `output_schema`.',
      }),
    [exactlyOne('prompt', 'messages'), needs('conversation', 'prompt', ['conversation']), streamRule()],
  ),
);

type LlmNode = z.infer<ReturnType<typeof llmSchema>>;

export const llmChecks: NodeChecks<LlmNode> = {
  check: (node, around, report) => {
    checkModel(node, around, report);
    for (const { path, detail } of around.schemaProblems(node.output_schema))
      report(['output_schema', ...path], detail);
  },
};

export const llm: NodeType<LlmNode> = {
  templates: ['prompt', 'messages', 'system', 'conversation'],
  /** A second call corrects the answer of the first, and one more sums a conversation up. */
  uses: ({ model, output_schema, conversation }) => ({
    models: [
      {
        name: model,
        calls: 1 + Number(output_schema !== undefined) + Number(conversation?.summary ?? false),
      },
    ],
  }),
  prepare: (node, around) => {
    const choices = modelChoices(node.model, around);
    const messages = prepareMessages(node);
    const system = node.system === undefined ? undefined : template(node.system);
    const openConversation = prepareConversation(node.conversation);
    return async (context) => {
      const instructions = await renderText(system, context.at);
      const conversation = await openConversation(context, textAsker(choices, context));
      const said = await messages(context.at);
      const request = {
        messages: checkRequestSize('messages', [...conversation.messages, ...said]),
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
      await conversation.add(said.map(({ content }) => content).join('\n'), asText(answer.output));
      callerText?.end(asText(answer.output));
      return { output: answer.output, note: `${answer.model}: ${preview(answer.output)}` };
    };
  },
};

function prepareMessages(node: LlmNode): (at: RenderAt) => Promise<readonly SaidMessage[]> {
  const request = node.messages ?? [{ role: 'user' as const, content: node.prompt ?? '' }];
  const parts = request.map(({ role, content }) => ({ role, content: template(content) }));
  return async (at) => {
    const messages: SaidMessage[] = [];
    for (const { role, content } of parts) messages.push({ role, content: asText(await content(at)) });
    return messages;
  };
}

async function renderText(render: Render | undefined, at: RenderAt): Promise<string | undefined> {
  return render && asText(await render(at));
}
