// The connections of a workspace that a caller may know of: the shared ones and its own, never those of other callers.
import type { Caller } from '#lib/access/caller.ts';
import { requireWorkspace } from '#lib/access/permission.ts';
import type { Connection } from './connection.ts';
import { placeOf } from './place.ts';
import { queryConnections } from './store.ts';

export async function list(caller: Caller, workspaceid: string): Promise<Connection[]> {
  requireWorkspace(caller, workspaceid);
  const place = placeOf(caller, workspaceid);
  const [shared, own] = await Promise.all([
    queryConnections(place, 'organization'),
    queryConnections(place, 'user'),
  ]);
  return [...shared, ...own];
}
