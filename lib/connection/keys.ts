// Where connections are in the control table: one partition per workspace, which names the organisation.
import type { ConnectionScope } from '#lib/flow/format/connection.ts';
import type { Place } from './connection.ts';

export const partition = ({ orgid, workspaceid }: Pick<Place, 'orgid' | 'workspaceid'>) =>
  `CONN#${orgid}#${workspaceid}`;

/** No two callers share a prefix, as no id has a "#". */
export const prefix = (scope: ConnectionScope, { user }: Place) =>
  scope === 'user' ? `USER#${user}#` : 'ORG#';

export const connectionKey = (place: Place, scope: ConnectionScope, name: string) => ({
  pk: partition(place),
  sk: `${prefix(scope, place)}${name}`,
});
