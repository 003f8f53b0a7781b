// The keys by which indexes find an item, as the code that writes the item makes them.

import { grant, toGrantItem } from '#lib/access/grant-items.ts';
import { member } from '#lib/access/member-items.ts';
import { storedSession } from '#lib/access/session-items.ts';
import { storedKey, toKeyItem } from '#lib/api-key/key-items.ts';
import type { KindName } from '#lib/inventory/identify.ts';
import type { StoredItem } from '#lib/inventory/partitions.ts';
import { flowsIndex, liveFlowsIndex, publicFlowsIndex, rowItem } from '#lib/registry/row/row-items.ts';
import { storedFlow, storedRow } from '#lib/registry/row/stored-row.ts';
import { listKeys } from '#lib/run/run-items.ts';
import { toPosition } from '#lib/run/run-position.ts';
import { parseRun } from '#lib/run/stored-run.ts';
import { taskKeys } from '#lib/run/task-list-items.ts';
import { storedInvitation, toInvitationItem, toMemberItem } from '#lib/session/invitation-items.ts';
import { toSessionItem } from '#lib/session/session-items.ts';
import { storedTrigger } from '#lib/trigger/stored-trigger.ts';
import { triggerItem } from '#lib/trigger/trigger-items.ts';

type Written = Readonly<Record<string, unknown>>;

/** What the item would be if it were written now. Kinds that are not here are in no index. */
export const rewritten: Readonly<Partial<Record<KindName, (item: StoredItem) => Written>>> = {
  'registry row': (item) => {
    const { gsi3pk, gsi3sk, ...written } = rowItem(storedRow.parse(item));
    // Rows of form 1 are not in the index by status before they are migrated.
    return item.format === undefined && item.gsi3pk === undefined ? written : { ...written, gsi3pk, gsi3sk };
  },
  flow: (item) => {
    const { orgid, workspaceid, flowid, live } = storedFlow.parse(item);
    // A flow whose live build an earlier version promoted is in neither before it is migrated. Whether the build is
    // public, its row says.
    const isShown = live !== undefined && item.gsi2pk !== undefined;
    return {
      ...{ gsi1pk: flowsIndex(orgid, workspaceid), gsi1sk: flowid },
      ...(isShown && { gsi2pk: liveFlowsIndex(orgid), gsi2sk: live }),
      ...(isShown && item.gsi3pk !== undefined && { gsi3pk: publicFlowsIndex, gsi3sk: live }),
    };
  },
  // A key that was issued offline and revoked is in no index.
  'API key': (item) => (item.orgid === undefined ? {} : toKeyItem(storedKey.parse(item))),
  member: (item) => toMemberItem(member.parse(item)),
  invitation: (item) => toInvitationItem(storedInvitation.parse(item)),
  session: (item) => toSessionItem(storedSession.parse(item)),
  grant: (item) => toGrantItem(grant.parse(item)),
  trigger: (item) => triggerItem(storedTrigger.parse(item)),
  'former search document': (item) => ({ gsi1pk: item.pk, gsi1sk: item.gsi1sk }),
  run: (item) => {
    const run = parseRun(item);
    const position = toPosition(run);
    const isBefore = item.gsi1sk === position;
    const written: Written = {
      ...listKeys(run),
      // A run of an earlier version does not have its caller in these keys.
      ...(isBefore && { gsi1sk: position, gsi2sk: position }),
      ...taskKeys(run),
    };
    // Before its first event, a run that its request executes is found by its permit, and has some keys or none.
    if (run.generation === 0)
      return Object.fromEntries(Object.entries(written).filter(([name]) => name in item));
    // A run of an earlier version has the time of a state that it does not have beside it.
    return run.status_timestamp === undefined ? { ...written, gsi3sk: item.gsi3sk } : written;
  },
};

const indexAttributes = ['gsi1pk', 'gsi1sk', 'gsi2pk', 'gsi2sk', 'gsi3pk', 'gsi3sk'];

export const hasSameIndexKeys = (item: Written, written: Written): boolean =>
  indexAttributes.every((name) => item[name] === written[name]);
