// The keys of connections in the control table: one partition per workspace of an organisation.
import type { ConnectionScope } from '#lib/flow/format/connection.ts';
import type { ConnectionOwner } from './connection.ts';

export const partition = ({ orgid, workspaceid }: Pick<ConnectionOwner, 'orgid' | 'workspaceid'>) =>
  `CONN#${orgid}#${workspaceid}`;

/** No two callers share a prefix, because no id contains a "#". */
export const prefix = (scope: ConnectionScope, { user }: ConnectionOwner) =>
  scope === 'user' ? `USER#${user}#` : 'ORG#';

export const connectionKey = (owner: ConnectionOwner, scope: ConnectionScope, name: string) => ({
  pk: partition(owner),
  sk: `${prefix(scope, owner)}${name}`,
});
