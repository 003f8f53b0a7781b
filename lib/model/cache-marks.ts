// Marks up to which point a provider caches a prompt. Bedrock needs them; providers with an API like that of OpenAI cache
// by themselves. Only types of the SDK are imported here.
import type { ModelMessage as SdkMessage, SystemModelMessage } from 'ai';

const cachePoint = { providerOptions: { bedrock: { cachePoint: { type: 'default' } } } };

/** Tools come before the system prompt, so its mark includes them. */
export const markedSystem = (content: string): SystemModelMessage => ({
  role: 'system',
  content,
  ...cachePoint,
});

/** The next turn of a conversation repeats it up to its last message. */
export const markLastMessage = (messages: readonly SdkMessage[]): SdkMessage[] =>
  messages.map((message, index) => (index === messages.length - 1 ? { ...message, ...cachePoint } : message));
