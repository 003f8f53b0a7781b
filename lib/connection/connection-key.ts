// The keys of connections in the control table. Functions that only look for a connection load this file without the
// schemas of credentials.
import type { ConnectionScope } from '#lib/flow/format/connection.ts';
import type { ConnectionOwner } from './connection.ts';

export const connectionPartition = ({ orgid, workspaceid }: Pick<ConnectionOwner, 'orgid' | 'workspaceid'>) =>
  `CONN#${orgid}#${workspaceid}`;

/** Of sort keys. No two callers share a prefix, because no id contains a "#". */
export const connectionPrefix = (scope: ConnectionScope, { user }: ConnectionOwner) =>
  scope === 'user' ? `USER#${user}#` : 'ORG#';

export const connectionKey = (owner: ConnectionOwner, scope: ConnectionScope, name: string) => ({
  pk: connectionPartition(owner),
  sk: `${connectionPrefix(scope, owner)}${name}`,
});
