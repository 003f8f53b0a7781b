// Converts a model's turn to the answer of a node: text, an object that matches the schema, or tool calls. An
// unusable turn is an error that carries its token counts. The SDK is not imported here.

import { isObject } from '#lib/flow/format/json-value.ts';
import { NodeError } from '#lib/flow/format/node-error.ts';
import type { ModelAnswer, ModelRequest, ToolCall } from '#lib/flow/ports/model.ts';
import type { NodeCall } from '#lib/flow/ports/node-call.ts';
import { findValueFaults } from '#lib/flow/schema/value-faults.ts';
import { type Json, type JsonObject, json } from '#lib/json/json.ts';

/** One turn as the provider gave it. */
export interface ModelTurn {
  readonly text: string;
  readonly toolCalls: readonly RawToolCall[];
  readonly finishReason: string;
  readonly tokens: ModelAnswer['tokens'];
  readonly providerParts: ModelAnswer['provider_parts'];
}

interface RawToolCall {
  readonly toolCallId: string;
  readonly toolName: string;
  /** Parsed; the text itself when it is not JSON. */
  readonly input: unknown;
}

/**
 * Throws `model.refused` and `model.bad_answer`. Calls of undeclared tools are passed on, as are arguments that
 * are no object, so that the agent can report them to the model.
 */
export async function toModelAnswer(
  turn: ModelTurn,
  request: ModelRequest,
  model: string,
  { compute }: NodeCall,
): Promise<ModelAnswer> {
  const { tokens, finishReason } = turn;
  const text = turn.text.toWellFormed();
  const failed = (code: string, what: string) => new NodeError(code, `${model} ${what}`, { tokens });
  if (finishReason === 'content-filter') throw failed('model.refused', 'refused to answer.');
  const isCut = finishReason === 'length';
  if (turn.toolCalls.length > 0) {
    const tool_calls = turn.toolCalls.map(toToolCall);
    if (isCut && tool_calls.some((call) => !isObject(call.arguments)))
      throw failed('model.bad_answer', 'reached max_tokens within a tool call.');
    const { providerParts: provider_parts } = turn;
    return {
      output: text,
      tool_calls,
      ...(provider_parts !== undefined && { provider_parts }),
      model,
      tokens,
    };
  }
  if (!request.output_schema) return { output: text, model, tokens };
  const output = parsed(text);
  if (output === undefined && isCut)
    throw failed('model.bad_answer', 'reached max_tokens before its object was complete.');
  const fault = await findFault(request.output_schema, output, compute);
  if (fault !== undefined)
    throw failed('model.bad_answer', `did not answer with an object that matches output_schema${fault}.`);
  return { output: output ?? null, model, tokens };
}

/** Arguments that are no object are passed on too: the agent reports them to the model. */
const toToolCall = ({ toolCallId, toolName, input }: RawToolCall): ToolCall => ({
  id: toolCallId,
  name: toolName,
  arguments: json.safeParse(input).data ?? null,
});

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Validates here, because the SDK does not. */
async function findFault(
  schema: JsonObject,
  output: Json | undefined,
  compute: NodeCall['compute'],
): Promise<string | undefined> {
  if (output === undefined) return '';
  const [fault] = await findValueFaults(schema, output, compute);
  return fault === undefined ? undefined : `: ${fault}`;
}
