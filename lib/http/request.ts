// A request as a function sees it: the caller verified, the input parsed.
import type { Caller } from '#lib/access/caller.ts';
import type { Log } from '#lib/log.ts';

export interface Request<P = unknown, Q = unknown, B = unknown> {
  /** `anonymous` only where the route has no credentials or leaves them optional. */
  readonly caller: Caller;
  readonly isAnonymous: boolean;
  readonly params: P;
  readonly query: Q;
  readonly body: B;
  /** The body as it came, for routes that parse it themselves or check a signature of it. */
  readonly rawBody: string;
  /** Names in lower case. What was sent several times is one list. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly requestId: string;
  /** RFC 3339, UTC: when the request came in. */
  readonly at: string;
  readonly log: Log;
  /** What is left of the function's time, in ms. */
  readonly remainingMs: () => number;
  /** Aborted when nobody may have the answer any more: the client has left, or `isAdmitted` has said no. */
  readonly signal: AbortSignal;
  /** Whether the credential still holds. It may have been revoked or have expired while the request was waiting. */
  readonly isAdmitted: () => Promise<boolean>;
}
