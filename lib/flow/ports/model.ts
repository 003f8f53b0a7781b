// Calls of language models: the request, the messages and tools in it, and the answer.
import type { Json, JsonObject } from '#lib/json/json.ts';
import type { FileReference } from '../format/file.ts';
import type { Tokens } from '../format/tokens.ts';
import type { NodeCall } from './node-call.ts';

/**
 * One entry of a flow's `models`: a model the tenant has configured under `name`, or a provider and its model
 * id.
 */
export interface ModelChoice {
  readonly provider?: string;
  readonly model?: string;
  readonly base_url?: string;
}

export type ModelMessage =
  | { readonly role: 'user'; readonly content: string; readonly files?: readonly FileReference[] }
  | ({ readonly role: 'assistant'; readonly content: string } & ToolTurn)
  /** The result of the tool call with that id. */
  | { readonly role: 'tool'; readonly tool_call_id: string; readonly name: string; readonly content: string };

interface ToolTurn {
  /** Present if the model calls tools before it answers. */
  readonly tool_calls?: readonly ToolCall[];
  /**
   * What the provider requires back with such a turn, such as signed reasoning. Opaque: stored with the
   * conversation, never shown.
   */
  readonly provider_parts?: Json;
}

/** A tool that a model may call. */
export interface ToolDeclaration {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of an object. */
  readonly parameters: JsonObject;
}

/** Whether the model may, must or must not use tools, or must use the one of that name. */
export type ToolChoice = 'auto' | 'required' | 'none' | { readonly tool: string };

export interface ToolCall {
  readonly id: string;
  readonly name: string;
  /** As the model wrote them; the caller of the tool checks them. */
  readonly arguments: Json;
}

export interface ModelRequest {
  /** The flow's choice; an empty object selects the tenant's default model. */
  readonly model: ModelChoice;
  readonly system?: string;
  readonly messages: readonly ModelMessage[];
  /** JSON Schema of the object to return. Without it, the answer is text. */
  readonly output_schema?: JsonObject;
  readonly tools?: readonly ToolDeclaration[];
  /** Defaults to `auto`. */
  readonly tool_choice?: ToolChoice;
  readonly temperature?: number;
  readonly max_tokens?: number;
  /** How much the model reasons before it answers. Defaults to the choice of the provider. */
  readonly reasoning?: 'low' | 'medium' | 'high';
  readonly top_p?: number;
  /** The model stops before it writes one of these texts. */
  readonly stop?: readonly string[];
  readonly seed?: number;
  /** Marks the system prompt and the last message for the cache of the provider, if it needs marks. */
  readonly cache?: boolean;
}

/** Why a model stopped; `length` where it reached `max_tokens` or the end of its context. */
export type FinishReason = (typeof finishReasons)[number];

export const finishReasons = ['stop', 'length', 'tool_calls', 'content_filter', 'error', 'other'] as const;

export interface ModelAnswer extends ToolTurn {
  /**
   * The text, or the JSON that `output_schema` asked for, which may not match it. In a turn with tool calls, the
   * text beside them, which may be empty.
   */
  readonly output: Json;
  /** The answer to a request with `output_schema` is no JSON: `output` is its text. */
  readonly isMalformed?: true;
  /** The number of integers in that JSON that were kept as text, because a number would round them. */
  readonly kept?: number;
  readonly finish_reason?: FinishReason;
  /** The model that answered, as `provider/model`. */
  readonly model: string;
  readonly tokens: Tokens;
}

/** Throws a `NodeError` (`model.*`, `timeout`). */
export type ModelPort = (request: ModelRequest, call: NodeCall) => Promise<ModelAnswer>;
