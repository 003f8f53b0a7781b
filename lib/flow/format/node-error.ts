// The one way a node fails: a dotted code that `retry` and `catch` can match, and a sentence that may be shown to the caller.

import { limits } from './limits.ts';
import { truncateToBytes } from './truncate-bytes.ts';

/**
 * Codes have the form `family.detail` (`http.404`, `model.rate_limited`, `expression.timeout`, `limit.steps`) or stand alone (`timeout`,
 * `canceled`). The message never holds a secret, and is cut where it is too long; the cause is for the operator's log only.
 */
export class NodeError extends Error {
  readonly code: string;
  /** What the failed call of a model has used all the same, such as for an answer that was refused. */
  readonly tokens: Tokens | undefined;
  /** The node that failed, once that is known: a container fails with the error of a node inside it. */
  readonly nodeId: string | undefined;

  constructor(code: string, message: string, options: NodeErrorOptions = {}) {
    super(truncateToBytes(message, limits.errorBytes), options);
    this.name = 'NodeError';
    this.code = code;
    this.tokens = options.tokens;
    this.nodeId = options.nodeId;
  }
}

interface Tokens {
  readonly input: number;
  readonly output: number;
}

interface NodeErrorOptions extends ErrorOptions {
  readonly tokens?: Tokens | undefined;
  readonly nodeId?: string | undefined;
}

/**
 * Whether a code is meant by a pattern of an `on` list: `*` means every code, `http.*` the family, `http.5xx` the status class, anything else
 * itself. What ends the whole run (`limit.*`, `canceled`) is meant by no pattern: no node may retry or catch it.
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

/** Limits of the run and its cancellation: no node can continue after them. */
export const endsRun = (code: string) => code === 'canceled' || code.startsWith('limit.');

/** Everything thrown becomes a NodeError; what is unexpected keeps its cause and shows nothing of it. */
export function asNodeError(error: unknown): NodeError {
  if (error instanceof NodeError) return error;
  return new NodeError('internal', 'The node failed unexpectedly.', { cause: error });
}

/** Says at which node it happened, unless a node inside that one has said so already. */
export function locatedError(error: NodeError, nodeId: string): NodeError {
  if (error.nodeId !== undefined) return error;
  const { code, message, tokens, cause } = error;
  return new NodeError(code, message, { nodeId, tokens, ...(cause !== undefined && { cause }) });
}
