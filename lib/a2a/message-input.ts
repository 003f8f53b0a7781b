// The input that a message gives to the flow it starts, and the message as it is read back from that input.
import { Message } from '@a2a-js/sdk';
import { requirePlain } from '#lib/caller-data.ts';
import { type Excess, findExcess } from '#lib/flow/engine/input-size.ts';
import type { FlowInput } from '#lib/flow/engine/run-flow.ts';
import type { StoredRun } from '#lib/run/stored-run.ts';
import { A2ARefusal } from './errors.ts';
import { readText, readVariables, type SendMessageParams } from './params.ts';

/** What the flow reads of a task beside the message that starts it. A message without a context starts a new one. */
interface TaskFacts {
  readonly taskId: string;
  readonly contextId: string;
  readonly extensions: readonly string[];
}

export function toFlowInput({ message, metadata }: SendMessageParams, facts: TaskFacts): FlowInput {
  const input = {
    message: readText(message.parts),
    user_variables: readVariables(message.parts),
    ...listFiles(message.parts),
    a2a: {
      message: JSON.parse(JSON.stringify(message)),
      messageId: message.messageId,
      metadata: message.metadata ?? {},
      requestMetadata: metadata ?? {},
      ...facts,
    },
  };
  const excess = findExcess(input);
  if (excess) throw tooLarge(excess);
  return input;
}

/** Their content stays in the message, and is found there by its position. A `url` is not fetched, so it is no file. */
function listFiles(parts: SendMessageParams['message']['parts']): Pick<FlowInput, 'files'> {
  const files = parts.flatMap(({ raw, filename, mediaType }, part) =>
    raw === undefined
      ? []
      : [
          {
            part,
            ...(filename && { name: filename }),
            ...(mediaType && { media_type: mediaType }),
            bytes: Buffer.byteLength(raw, 'base64'),
          },
        ],
  );
  return files.length === 0 ? {} : { files };
}

function tooLarge({ part, bytesMax }: Excess): A2ARefusal {
  const { pointer, what } = excessLocations[part];
  return new A2ARefusal('INVALID_PARAMS', undefined, [
    { pointer, detail: `must be smaller: ${what} may have ${bytesMax} bytes of JSON` },
  ]);
}

const whole = { pointer: '/params/message', what: 'the message' };
const excessLocations: Readonly<Record<Excess['part'], { readonly pointer: string; readonly what: string }>> =
  {
    message: { pointer: '/params/message/parts', what: 'their texts' },
    user_variables: { pointer: '/params/message/parts', what: 'their data' },
    event: whole,
    a2a: whole,
    input: { ...whole, what: 'the message, with its texts and data counted twice,' },
  };

/** The input of the run must be decrypted (`withInput`). Undefined for runs that no message has started. */
export function readIncomingMessage({ input, run_id, context_id }: StoredRun): Message | undefined {
  if (input === undefined) return undefined;
  const { a2a }: { a2a?: { message: object } } = JSON.parse(requirePlain(input));
  return a2a && toIncomingMessage(a2a.message, { run_id, context_id });
}

/** A message as the history of the task has it that it has started. */
export const toIncomingMessage = (
  message: object,
  { run_id, context_id }: Pick<StoredRun, 'run_id' | 'context_id'>,
): Message => Message.fromJSON({ ...message, taskId: run_id, contextId: context_id });
