// The calls of models of one execution, as they are kept: of the messages of each call, those that the call before did
// not have.
import { redacted, redactedValue } from '#lib/flow/engine/log-preview.ts';
import { asNodeError } from '#lib/flow/format/node-error.ts';
import type { ModelAnswer, ModelMessage, ModelRequest } from '#lib/flow/ports/model.ts';
import type { JsonObject } from '#lib/json/json.ts';
import type { ModelCall } from './kept-execution.ts';

export interface AskedModel {
  readonly request: ModelRequest;
  readonly at: number;
  readonly ms: number;
  readonly attempt: number;
  readonly answer?: ModelAnswer;
  readonly error?: unknown;
}

/** `holdsText`: the answers are checked before anybody may see them. */
export function createModelCalls(holdsText: boolean) {
  let before: ModelRequest | undefined;
  return (asked: AskedModel): ModelCall => {
    const { request, answer } = asked;
    const earlier = countShared(before?.messages ?? [], request.messages);
    const hasNewSystem = request.system !== undefined && request.system !== before?.system;
    before = request;
    return {
      at: new Date(asked.at).toISOString(),
      duration_ms: Math.round(asked.ms),
      attempt: asked.attempt,
      ...(answer && { model: answer.model, tokens: answer.tokens }),
      ...(hasNewSystem && { system: redacted(request.system ?? '') }),
      earlier_messages: earlier,
      messages: request.messages.slice(earlier).map(toMessage),
      ...(request.tools && { tools: request.tools.map(({ name }) => name) }),
      ...(answer && !holdsText && describeAnswer(answer)),
      ...(answer?.finish_reason && { finish_reason: answer.finish_reason }),
      ...(asked.error !== undefined && { error: describeError(asked.error) }),
    };
  };
}

/** The messages of a conversation that continues are the same objects. */
function countShared(before: readonly ModelMessage[], now: readonly ModelMessage[]): number {
  const first = now.findIndex((message, n) => message !== before[n]);
  return first < 0 ? now.length : first;
}

/** Without what the provider requires back, which is opaque, and without the content of files. */
function toMessage(message: ModelMessage): ModelCall['messages'][number] {
  const content = redacted(message.content);
  if (message.role === 'tool') {
    const { role, name, tool_call_id } = message;
    return { role, content, name, tool_call_id };
  }
  if (message.role === 'user') {
    const { role, files } = message;
    return { role, content, ...(files && { files: files.map(withoutContent) }) };
  }
  const { role, tool_calls } = message;
  return { role, content, ...(tool_calls && { tool_calls: tool_calls.map(toToolCall) }) };
}

const withoutContent = ({ raw: _, ...file }: JsonObject): JsonObject => file;

const describeAnswer = ({ output, tool_calls }: ModelAnswer): Pick<ModelCall, 'answer' | 'tool_calls'> => ({
  answer: redactedValue(output),
  ...(tool_calls && { tool_calls: tool_calls.map(toToolCall) }),
});

const toToolCall = ({ id, name, arguments: args }: NonNullable<ModelAnswer['tool_calls']>[number]) => ({
  id,
  name,
  arguments: redactedValue(args),
});

function describeError(thrown: unknown): NonNullable<ModelCall['error']> {
  const { code, message } = asNodeError(thrown);
  return { code, message: redacted(message) };
}
