// A question to a model in the words of the AI SDK. Types of the SDK only: loading this file loads nothing of it.
import type { ModelMessage as SdkMessage } from 'ai';
import type { ModelMessage } from '#lib/flow/ports/model.ts';
import { contentAgain } from './provider-parts.ts';

/** For the model of that name, as its answers have it. */
export const sdkMessages = (messages: readonly ModelMessage[], model: string): SdkMessage[] =>
  messages.map((message) => sdkMessage(message, model));

function sdkMessage(message: ModelMessage, model: string): SdkMessage {
  if (message.role === 'tool') {
    const { tool_call_id, name, content } = message;
    const output = { type: 'text' as const, value: content };
    return {
      role: 'tool',
      content: [{ type: 'tool-result', toolCallId: tool_call_id, toolName: name, output }],
    };
  }
  if (message.role === 'user' || !message.tool_calls) return { role: message.role, content: message.content };
  const { tool_calls, provider_parts } = message;
  const again = provider_parts === undefined ? undefined : contentAgain(provider_parts, model, tool_calls);
  if (again) return { role: 'assistant', content: again };
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
