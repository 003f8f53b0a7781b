// What can go wrong on the way to any host, as the engine's own errors: out of time, refused by the guarded fetch, or no answer.
import { NodeError } from '#lib/flow/format/node-error.ts';
import { EgressError } from './egress-error.ts';

interface Way {
  readonly host: string;
  readonly signal: AbortSignal;
  /** The code for a host that does not answer, such as `http.network`. */
  readonly noAnswer: string;
}

/** Undefined for what has another reason. */
export function networkFailure(error: unknown, { host, signal, noAnswer }: Way): NodeError | undefined {
  if (signal.aborted) return new NodeError('timeout', `${host} did not answer in time.`, { cause: error });
  if (error instanceof NodeError) return error;
  if (error instanceof EgressError) {
    const code = error.code === 'egress.timeout' ? 'timeout' : error.code;
    return new NodeError(code, error.message, { cause: error });
  }
  // What `fetch` makes of a failed connection: a TypeError whose cause says more.
  if (error instanceof TypeError && error.cause instanceof Error) {
    const reason = 'code' in error.cause ? String(error.cause.code) : error.cause.message;
    return new NodeError(noAnswer, `No answer from ${host}: ${reason}.`, { cause: error });
  }
  return undefined;
}

/** Paths and queries may hold what must not be shown. */
export const hostOf = (url: string) => URL.parse(url)?.host ?? 'the host';
