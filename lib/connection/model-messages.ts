// A question to a model in the words of the AI SDK. Types of the SDK only: loading this file loads nothing of it.
import type { ModelMessage as SdkMessage } from 'ai';
import type { ModelMessage } from '#lib/flow/ports.ts';

export const sdkMessages = (messages: readonly ModelMessage[]): SdkMessage[] => messages.map(sdkMessage);

function sdkMessage(message: ModelMessage): SdkMessage {
  if (message.role === 'tool') {
    const { tool_call_id, name, content } = message;
    const output = { type: 'text' as const, value: content };
    return {
      role: 'tool',
      content: [{ type: 'tool-result', toolCallId: tool_call_id, toolName: name, output }],
    };
  }
  if (message.role === 'user' || !message.tool_calls) return { role: message.role, content: message.content };
  const calls = message.tool_calls.map((call) => ({
    type: 'tool-call' as const,
    toolCallId: call.id,
    toolName: call.name,
    input: call.arguments,
  }));
  // Providers refuse empty text beside tool calls.
  const text = message.content === '' ? [] : [{ type: 'text' as const, text: message.content }];
  return { role: 'assistant', content: [...text, ...calls] };
}
