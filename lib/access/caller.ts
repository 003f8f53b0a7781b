// Who is calling, taken from verified credentials only. Every query is keyed by it.
import type { Permission } from './permission.ts';

export interface Caller {
  /** The principal: the id of the API key. */
  readonly id: string;
  readonly orgid: string;
  /** Workspaces of that organisation; '*' is all of them. */
  readonly workspaces: ReadonlySet<string> | '*';
  readonly scopes: ReadonlySet<Permission>;
  /**
   * When the credential ends, in seconds since 1970; none for a caller that acts without one, as a schedule
   * does.
   */
  readonly expiresAt?: number;
  /** Hears which workspace the request turned out to be about, for its audit record. */
  readonly onWorkspace?: (workspaceid: string) => void;
}
