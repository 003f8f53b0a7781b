// The error with which a node fails: a code that `retry` and `catch` can match, and a message that callers
// may see.

import type { JsonObject } from '#lib/json/json.ts';
import { truncateToBytes } from '#lib/truncate.ts';
import { limits } from './limits.ts';
import type { Tokens } from './tokens.ts';

/**
 * Codes have the form `family.detail` (`http.404`, `model.rate_limited`, `expression.timeout`, `limit.steps`)
 * or are single words (`timeout`, `canceled`). The message never contains a secret and is truncated if it is
 * too long; the cause is only logged.
 */
export class NodeError extends Error {
  readonly code: string;
  /** Tokens that a failed model call has used, such as for an answer that was refused. */
  readonly tokens: Tokens | undefined;
  /** The node that failed, once it is known: a container fails with the error of a node inside it. */
  readonly nodeId: string | undefined;
  /** The `Retry-After` header of the response that is the error, as it was sent. */
  readonly retryAfter: string | undefined;
  /** The response that is the error, bounded and without secrets: `error.response` after `catch`. */
  readonly response: JsonObject | undefined;

  constructor(code: string, message: string, options: NodeErrorOptions = {}) {
    super(truncateToBytes(message, limits.errorBytes), options);
    this.name = 'NodeError';
    this.code = code;
    this.tokens = options.tokens;
    this.nodeId = options.nodeId;
    this.retryAfter = options.retryAfter;
    this.response = options.response;
  }
}

interface NodeErrorOptions extends ErrorOptions {
  readonly tokens?: Tokens | undefined;
  readonly nodeId?: string | undefined;
  readonly retryAfter?: string | undefined;
  readonly response?: JsonObject | undefined;
}

/**
 * Whether a pattern of an `on` list matches a code: `*` matches every code, `http.*` the family, `http.5xx`
 * the status class, any other pattern only itself. No pattern matches what ends the whole run (`limit.*`,
 * `canceled`), because no node may retry or catch it.
 */
export function matches(code: string, pattern: string): boolean {
  if (endsRun(code)) return false;
  if (pattern === '*' || pattern === code) return true;
  if (pattern.endsWith('.*')) return code.startsWith(pattern.slice(0, -1));
  const statusClass = /^http\.([1-5])xx$/.exec(pattern)?.[1];
  return statusClass !== undefined && /^http\.\d{3}$/.test(code) && code[5] === statusClass;
}

export const matchesAny = (code: string, patterns: readonly string[]) =>
  patterns.some((pattern) => matches(code, pattern));

/** As `matchesAny`, but `*` does not stand for what a guardrail has blocked: to ask again, a flow must name it. */
export const matchesRetry = (code: string, patterns: readonly string[]) =>
  matchesAny(code, isGuardrail(code) ? patterns.filter((pattern) => pattern !== '*') : patterns);

/** What a guardrail has blocked. */
export const isGuardrail = (code: string) => code.startsWith('guardrail.');

/** The limits of the run and its cancellation: no node can continue after them. */
export const endsRun = (code: string) => code === 'canceled' || code.startsWith('limit.');

/**
 * Converts anything thrown to a NodeError. An unexpected error becomes the cause, and its message is not
 * shown.
 */
export function asNodeError(error: unknown): NodeError {
  if (error instanceof NodeError) return error;
  return new NodeError('internal', 'The node failed unexpectedly.', { cause: error });
}

/** The output of an execution whose error a `catch` has matched. */
export const caughtOutput = ({
  code,
  message,
  response,
}: Pick<NodeError, 'code' | 'message'> & { readonly response?: JsonObject | undefined }): JsonObject => ({
  error: { code, message, ...(response && { response }) },
});

/** Adds the id of the failed node, unless a node inside it has set its own. */
export function locatedError(error: NodeError, nodeId: string): NodeError {
  if (error.nodeId !== undefined) return error;
  const { code, message, tokens, retryAfter, response, cause } = error;
  const options = { nodeId, tokens, retryAfter, response };
  return new NodeError(code, message, { ...options, ...(cause !== undefined && { cause }) });
}
