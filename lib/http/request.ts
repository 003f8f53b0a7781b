// A request as a function receives it: its caller is verified, its input parsed.
import type { Caller } from '#lib/access/caller.ts';
import type { Arrival } from '#lib/arrival.ts';
import type { Log } from '#lib/log.ts';

export interface Request<P = unknown, Q = unknown, B = unknown> {
  /** `anonymous` only where the route has no credentials or leaves them optional. */
  readonly caller: Caller;
  readonly isAnonymous: boolean;
  /** To which address of the service the request was sent: for `findAddress`. */
  readonly arrival: Arrival;
  /** In upper case. */
  readonly method: string;
  /** The name of the other address of the row (`also`) to which the request was sent; undefined for its path. */
  readonly address: string | undefined;
  /** What follows that address, as `{subpath+}` of its path; empty for others. */
  readonly subpath: string;
  readonly params: P;
  readonly query: Q;
  /** All values of each name, as they were sent, for addresses whose parameters the row does not describe. */
  readonly rawQuery: Readonly<Record<string, readonly string[] | undefined>>;
  readonly body: B;
  /** The body before parsing, for routes that parse it themselves or check its signature. */
  readonly rawBody: string;
  /** Names are in lower case. Headers of one name are joined to one list. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly requestId: string;
  /** RFC 3339, UTC: when the request was received. */
  readonly at: string;
  readonly log: Log;
  /** The address that the request came from. */
  readonly sourceIp: string;
  /** The time that the function has left, in ms. */
  readonly remainingMs: () => number;
  /**
   * Aborted when nobody may receive the answer: the client has disconnected, or `isAdmitted` has returned
   * false.
   */
  readonly signal: AbortSignal;
  /**
   * Whether the credential is still valid. It may have been revoked or have expired while the request was
   * waiting.
   */
  readonly isAdmitted: () => Promise<boolean>;
}
