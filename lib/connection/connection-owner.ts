// The owner whose connections a caller manages: the workspace, and the caller itself within it.
import type { Caller } from '#lib/access/caller.ts';
import type { ConnectionOwner } from './connection.ts';

/** `user` is the principal, an API key: a key does not see what another key has stored for itself. */
export const toConnectionOwner = ({ id, orgid }: Caller, workspaceid: string): ConnectionOwner => ({
  orgid,
  workspaceid,
  user: id,
});
