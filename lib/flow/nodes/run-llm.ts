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
import { passAnswer } from './guarded-answer.ts';
import { openGuarded, passMessages } from './guarded-llm.ts';
import { prepareGuardrails } from './guardrails.ts';
import type { GuardrailFields } from './guardrails-field.ts';
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
  readonly guardrails?: GuardrailFields | undefined;
}

export function prepareRun(node: LlmFields, around: Surroundings): RunNode {
  const choices = modelChoices(node.model, around);
  const sayMessages = prepareMessages(node);
  const system = node.system === undefined ? undefined : template(node.system);
  const files = prepareFiles(node.files);
  const openConversation = prepareConversation(node.conversation);
  const pass = prepareGuardrails(node.guardrails);
  const holds = node.guardrails?.output !== undefined;
  return async (context) => {
    const guarded = openGuarded(context);
    const instructions = await renderText(system, context.at);
    const conversation = await openConversation(context, textAsker(choices, context));
    const said = await passMessages(pass, await sayMessages(context.at), guarded);
    if (!said) return guarded.paused();
    const messages = [...conversation.messages, ...said];
    const request = {
      messages: checkRequestSize('messages', attachFiles(messages, (await files?.(context.at)) ?? [])),
      ...(instructions !== undefined && { system: instructions }),
      ...(node.output_schema && { output_schema: node.output_schema }),
    };
    const callerText = node.stream ? context.callerText() : undefined;
    const ask = () =>
      askModels(request, {
        choices,
        context,
        settings: node,
        onCut: node.on_cut,
        takeCorrection: () => true,
        callerText: holds ? undefined : callerText,
        hidesAnswer: holds,
      });
    const { model, output } = await (pass ? guarded.answer(ask) : ask());
    const passed = pass ? await passAnswer(pass, output, node.output_schema, guarded) : { value: output };
    if (!passed) return guarded.paused();
    const text = asText(passed.value);
    await conversation.add(said.map(({ content }) => content).join('\n'), text);
    callerText?.end(text);
    return { output: passed.value, note: `${model}: ${preview(passed.value)}` };
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
