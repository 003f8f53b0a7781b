// Converts a model's turn to an answer: text, JSON, or tool calls. An unusable turn is an error that carries its
// token counts. The SDK is not imported here.

import { isObject } from '#lib/flow/format/json-value.ts';
import { NodeError } from '#lib/flow/format/node-error.ts';
import type { FinishReason, ModelAnswer, ModelRequest, ToolCall } from '#lib/flow/ports/model.ts';
import { type Parsed, parseExactly } from '#lib/json/big-integers.ts';
import { json } from '#lib/json/json.ts';

/** One turn as the provider gave it. */
export interface ModelTurn {
  readonly text: string;
  readonly toolCalls: readonly RawToolCall[];
  readonly finishReason: FinishReason;
  readonly tokens: ModelAnswer['tokens'];
  readonly providerParts: ModelAnswer['provider_parts'];
  /** The number of integers that have become text already. */
  readonly kept: number;
}

interface RawToolCall {
  readonly toolCallId: string;
  readonly toolName: string;
  /** Parsed; the text itself when it is not JSON. */
  readonly input: unknown;
}

/**
 * Throws `model.refused` and `model.cut`. Calls of undeclared tools are passed on, as are arguments that are no
 * object, so that the agent can report them to the model; so are objects that do not match the schema, which the
 * engine checks.
 */
export function toModelAnswer(turn: ModelTurn, request: ModelRequest, model: string): ModelAnswer {
  const { tokens, finishReason } = turn;
  const text = turn.text.toWellFormed();
  const failed = (code: string, what: string) => new NodeError(code, `${model} ${what}`, { tokens });
  if (finishReason === 'content_filter') throw failed('model.refused', 'refused to answer.');
  const about = { model, tokens, finish_reason: finishReason };
  if (turn.toolCalls.length > 0) {
    const tool_calls = turn.toolCalls.map(toToolCall);
    if (finishReason === 'length' && tool_calls.some((call) => !isObject(call.arguments)))
      throw failed('model.cut', 'reached max_tokens within a tool call.');
    const { providerParts: provider_parts } = turn;
    return {
      output: text,
      tool_calls,
      ...(provider_parts !== undefined && { provider_parts }),
      ...about,
    };
  }
  if (!request.output_schema) return { output: text, ...about };
  const parsed = parseJsonAnswer(text);
  if (!parsed) return { output: text, isMalformed: true, ...about };
  const kept = turn.kept + parsed.kept;
  return { output: parsed.value, ...(kept > 0 && { kept }), ...about };
}

/** Arguments that are no object are passed on too: the agent reports them to the model. */
const toToolCall = ({ toolCallId, toolName, input }: RawToolCall): ToolCall => ({
  id: toolCallId,
  name: toolName,
  arguments: json.safeParse(input).data ?? null,
});

/** Reads JSON, or JSON in a fence of Markdown with any text around it. Undefined for anything else. */
function parseJsonAnswer(text: string): Parsed | undefined {
  const whole = tryParse(text);
  if (whole !== undefined) return whole;
  const opening = text.indexOf(fence);
  const closing = text.lastIndexOf(fence);
  const start = text.indexOf('\n', opening);
  if (opening === closing || start === -1 || start > closing) return undefined;
  return tryParse(text.slice(start, closing));
}

function tryParse(text: string): Parsed | undefined {
  try {
    return parseExactly(text);
  } catch {
    return undefined;
  }
}

const fence = '```';
