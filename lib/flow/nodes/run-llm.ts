// Runs an `llm` node. Loaded with the first flow that has one.
import type { Json, JsonObject } from '#lib/json/json.ts';
import { preview } from '../engine/log-preview.ts';
import type { RunNode } from '../engine/node-context.ts';
import { checkRequestSize } from '../engine/request-size.ts';
import type { RenderAt } from '../expression/evaluation.ts';
import { type Render, template } from '../expression/template.ts';
import { asText } from '../expression/text.ts';
import { askModels, textAsker } from './ask-models.ts';
import { attachFiles, prepareFiles } from './attached-files.ts';
import { prepareConversation } from './conversation.ts';
import type { ConversationFields, SaidMessage } from './conversation-field.ts';
import { modelChoices } from './model-choice.ts';
import type { ModelSettings, OnCut } from './model-settings.ts';
import type { Surroundings } from './node-type.ts';

interface LlmFields extends ModelSettings {
  readonly prompt?: string | undefined;
  readonly messages?: readonly SaidMessage[] | undefined;
  readonly files?: Json | undefined;
  readonly conversation?: ConversationFields | undefined;
  readonly system?: string | undefined;
  readonly model?: string | undefined;
  readonly output_schema?: JsonObject | undefined;
  readonly on_cut?: OnCut;
  readonly stream?: boolean | undefined;
}

export function prepareRun(node: LlmFields, around: Surroundings): RunNode {
  const choices = modelChoices(node.model, around);
  const sayMessages = prepareMessages(node);
  const system = node.system === undefined ? undefined : template(node.system);
  const files = prepareFiles(node.files);
  const openConversation = prepareConversation(node.conversation);
  return async (context) => {
    const instructions = await renderText(system, context.at);
    const conversation = await openConversation(context, textAsker(choices, context));
    const said = await sayMessages(context.at);
    const messages = [...conversation.messages, ...said];
    const request = {
      messages: checkRequestSize('messages', attachFiles(messages, (await files?.(context.at)) ?? [])),
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
}

function prepareMessages(node: LlmFields): (at: RenderAt) => Promise<readonly SaidMessage[]> {
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
