// Converts failures of outbound requests to the engine's own errors: time-out, refusal by the guarded fetch,
// or no response.

import { NodeError } from '#lib/flow/format/node-error.ts';
import { EgressError } from './egress-error.ts';

interface CallContext {
  readonly host: string;
  readonly signal: AbortSignal;
  /** The code for a host that does not answer, such as `http.network`. */
  readonly noAnswer: string;
}

/** Undefined for any other failure. */
export function networkFailure(
  error: unknown,
  { host, signal, noAnswer }: CallContext,
): NodeError | undefined {
  if (signal.aborted) return new NodeError('timeout', `${host} did not answer in time.`, { cause: error });
  if (error instanceof NodeError) return error;
  if (error instanceof EgressError) {
    const code = error.code === 'egress.timeout' ? 'timeout' : error.code;
    return new NodeError(code, error.message, { cause: error });
  }
  // `fetch` rejects with a TypeError when a connection fails; its cause has the details.
  if (error instanceof TypeError && error.cause instanceof Error) {
    const reason = 'code' in error.cause ? String(error.cause.code) : error.cause.message;
    return new NodeError(noAnswer, `No answer from ${host}: ${reason}.`, { cause: error });
  }
  return undefined;
}

/** Messages name the host only, because paths and queries may contain secrets. */
export const hostName = (url: string) => URL.parse(url)?.host ?? 'the host';
