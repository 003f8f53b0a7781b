// What nodes and models were given and gave, as attributes of spans: only what the run has kept, whose secrets are
// redacted already, and no more than receivers take.
import type { Json } from '#lib/json/json.ts';
import type { KeptExecution, ModelCall } from '#lib/run/kept-execution.ts';
import { truncate } from '#lib/truncate.ts';
import type { AttributeValues } from './attributes.ts';

/** Characters of one attribute. Receivers cut or refuse longer ones. */
const charsMax = 32_000;

const toText = (value: Json | undefined): string | undefined =>
  value === undefined
    ? undefined
    : truncate(typeof value === 'string' ? value : JSON.stringify(value), charsMax);

export const describeNode = ({ input, output }: KeptExecution): AttributeValues => ({
  input: toText(input),
  output: toText(output),
});

/** `calls` are all of the execution: a call was kept without the messages that the one before it had. */
export function describeModelCall(calls: readonly ModelCall[], call: ModelCall): AttributeValues {
  const until = calls.slice(0, calls.indexOf(call) + 1);
  const system = until.findLast((each) => each.system !== undefined)?.system;
  const messages = until.reduce<ModelCall['messages']>(
    (before, each) => [...before.slice(0, each.earlier_messages), ...each.messages],
    [],
  );
  return {
    system: system === undefined ? undefined : toText([{ type: 'text', content: system }]),
    inputMessages: toText(messages.map(toMessage)),
    outputMessages: call.answer === undefined ? undefined : toText([toAnswer(call)]),
  };
}

const toMessage = ({
  role,
  content,
  tool_calls = [],
  tool_call_id,
}: ModelCall['messages'][number]): Json => ({
  role,
  parts:
    role === 'tool'
      ? [{ type: 'tool_call_response', id: tool_call_id ?? null, result: content }]
      : [...(content === '' ? [] : [{ type: 'text', content }]), ...tool_calls.map(toToolCall)],
});

const toAnswer = ({ answer = null, tool_calls = [], finish_reason }: ModelCall): Json => ({
  role: 'assistant',
  parts: [
    ...(answer === null || answer === '' ? [] : [{ type: 'text', content: toText(answer) ?? '' }]),
    ...tool_calls.map(toToolCall),
  ],
  ...(finish_reason !== undefined && { finish_reason }),
});

const toToolCall = ({
  id = null,
  name = null,
  arguments: args = null,
}: Readonly<Record<string, Json>>): Json => ({
  type: 'tool_call',
  id,
  name,
  arguments: args,
});
