// Converts the messages of a model request to those of the AI SDK. It imports only types of the SDK.
import type { FilePart, ModelMessage as SdkMessage } from 'ai';
import type { ModelMessage } from '#lib/flow/ports/model.ts';
import { restoreContent } from './provider-parts.ts';

/** `model` is the name under which its answers are stored. */
export const sdkMessages = (
  messages: readonly ModelMessage[],
  model: string,
  files: ReadonlyMap<ModelMessage, readonly FilePart[]>,
): SdkMessage[] => messages.map((message) => sdkMessage(message, model, files.get(message) ?? []));

function sdkMessage(message: ModelMessage, model: string, files: readonly FilePart[]): SdkMessage {
  if (message.role === 'tool') {
    const { tool_call_id, name, content } = message;
    const output = { type: 'text' as const, value: content };
    return {
      role: 'tool',
      content: [{ type: 'tool-result', toolCallId: tool_call_id, toolName: name, output }],
    };
  }
  if (files.length > 0 && message.role === 'user')
    return { role: 'user', content: [...files, { type: 'text', text: message.content }] };
  if (message.role === 'user' || !message.tool_calls) return { role: message.role, content: message.content };
  const { tool_calls, provider_parts } = message;
  const restored =
    provider_parts === undefined ? undefined : restoreContent(provider_parts, model, tool_calls);
  if (restored) return { role: 'assistant', content: restored };
  const calls = tool_calls.map((call) => ({
    type: 'tool-call' as const,
    toolCallId: call.id,
    toolName: call.name,
    input: call.arguments,
  }));
  // Providers refuse empty text beside tool calls.
  const text = message.content === '' ? [] : [{ type: 'text' as const, text: message.content }];
  return { role: 'assistant', content: [...text, ...calls] };
}
