// Whose connections a caller manages: those of a workspace, and its own ones there.
import type { Caller } from '#lib/access/caller.ts';
import type { Place } from './connection.ts';

/** The user of a caller is the principal: what one key stores for itself, another key does not see. */
export const placeOf = ({ id, orgid }: Caller, workspaceid: string): Place => ({
  orgid,
  workspaceid,
  user: id,
});
