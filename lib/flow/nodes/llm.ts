// `llm`: one turn of a model. Output: its text, or the object that `output_schema` describes.
import * as z from 'zod';
import { lazy, lazyModule } from '#lib/lazy.ts';
import { limits } from '../format/limits.ts';
import { everyNode, onward } from '../format/node-fields.ts';
import { exactlyOne, named, needs, ruled } from '../format/notes.ts';
import { conversationField } from './conversation-field.ts';
import { filesField } from './files-field.ts';
import { checkGuardrails, guardrailsField, listGuardFlows } from './guardrails-field.ts';
import { checkModel } from './model-choice.ts';
import { answerFields, modelField, settingFields, streamRule } from './model-settings.ts';
import type { NodeChecks, NodeType } from './node-type.ts';
import { prepareLater } from './prepare-later.ts';

/** Calls the models of nodes. Agents load theirs with themselves. */
export const modelCalls = lazyModule(() => import('./run-llm.ts'));

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
        files: filesField(),
        system: z
          .string()
          .min(1)
          .optional()
          .meta({ description: 'System prompt; template. Text from outside belongs in `prompt`.' }),
        model: modelField(),
        conversation: conversationField(),
        guardrails: guardrailsField(),
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
    checkGuardrails(node, around, report);
    for (const { path, detail } of around.schemaProblems(node.output_schema))
      report(['output_schema', ...path], detail);
  },
};

export const llm: NodeType<LlmNode> = {
  templates: ['prompt', 'messages', 'files', 'system', 'conversation'],
  pauses: (node) => listGuardFlows(node).length > 0,
  /** A second call corrects the answer of the first, and one more sums a conversation up. */
  uses: ({ model, output_schema, conversation, guardrails }) => ({
    flows: listGuardFlows({ guardrails }),
    models: [
      {
        name: model,
        calls: 1 + Number(output_schema !== undefined) + Number(conversation?.summary ?? false),
      },
    ],
  }),
  prepare: prepareLater(modelCalls),
};
