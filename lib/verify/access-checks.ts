// The checks of who may do what, and of what organisations configure: members, keys, connections, secrets, triggers.

import { member } from '#lib/access/member-items.ts';
import { isOwner, organizationItemKey } from '#lib/access/owner-count.ts';
import { controlTable, runsTable } from '#lib/dynamo/client.ts';
import { getItem } from '#lib/dynamo/items.ts';
import { queryPages } from '#lib/dynamo/query.ts';
import { environmentSettings } from '#lib/environment/settings.ts';
import { keyOf } from '#lib/inventory/partitions.ts';
import { sealedValues, toSecretScope } from '#lib/inventory/sealed-values.ts';
import { memberIndex } from '#lib/session/invitation-items.ts';
import { storedTrigger } from '#lib/trigger/stored-trigger.ts';
import { readTrigger } from '#lib/trigger/trigger-items.ts';
import { storedBudgets } from '#lib/usage/budget-items.ts';
import { directoryKey } from '#lib/usage/usage-items.ts';
import { storedSecrets } from '#lib/webhook-secret/secret-items.ts';
import { agrees, type Check } from './check.ts';
import { hasSameIndexKeys, rewritten } from './index-keys.ts';

const written = Object.keys(rewritten) as (keyof typeof rewritten)[];

export const accessChecks = {
  'index-keys': {
    what: 'an item can be read, and stands in the indexes where lists look for it',
    cure: 'Change the resource through the API, which writes its keys again; for rows from before the list index run `npm run migrate`. An item that cannot be read was written by something other than the service: find the writer in CloudTrail and restore the item.',
    on: written,
    find: async ({ item, known }) =>
      hasSameIndexKeys(item, rewritten[known.kind.name]?.(item) ?? {}) ? agrees : [keyOf(item)],
  },
  'owner-count': {
    what: 'an organisation counts as many owners as it has',
    cure: 'Set the attribute `owners` of the item to the number of its owners with `aws dynamodb update-item`.',
    on: ['organisation'],
    find: async ({ item, known }) =>
      (await countOwners(known.named.org ?? '')) === item.owners ? agrees : [keyOf(item)],
  },
  'member-count': {
    what: 'an organisation with an owner is counted',
    cure: 'As for `owner-count`.',
    on: ['member'],
    find: async ({ item }) => {
      const { orgid, roles } = member.parse(item);
      const isCounted = !isOwner(roles) || (await getItem(controlTable, organizationItemKey(orgid)));
      return isCounted ? agrees : [keyOf(item)];
    },
  },
  connection: {
    what: 'the credential of a connection decrypts under its name, workspace and owner',
    cure: 'Store the connection again: `PUT /api/v1/connections/{name}`.',
    on: ['connection'],
    opens: true,
    find: async ({ item, known }) => await openAll({ item, known }),
  },
  'signing-secret': {
    what: 'signing secrets decrypt, and those of a trigger belong to a trigger that exists',
    cure: 'Set a new secret and give it to the sender. That of a trigger that is gone can be deleted.',
    on: ['signing secret'],
    opens: true,
    find: async ({ item, known }) => {
      storedSecrets.parse(item);
      const { org: orgid = '', ws: workspaceid = '' } = known.named;
      const { trigger } = toSecretScope(known.named, { orgid, workspaceid });
      const found = trigger && (await readTrigger({ orgid, trigger_id: trigger.trigger_id }));
      if (trigger && found?.created_at !== trigger.declared_at) return [keyOf(item)];
      return await openAll({ item, known });
    },
  },
  'trigger-schedule': {
    what: 'a schedule that is due some time is switched on, and the address of a webhook is one',
    cure: 'Update the trigger: `PUT /api/v1/triggers/{id}`.',
    on: ['trigger'],
    find: async ({ item }) => {
      const { enabled, schedule, source, next_due, webhook_id } = storedTrigger.parse(item);
      const isDue = next_due === undefined || (enabled && schedule !== undefined);
      return isDue && (webhook_id === undefined || source !== undefined) ? agrees : [keyOf(item)];
    },
  },
  settings: {
    what: 'the settings of environments and budgets can be read',
    cure: 'Write them again through the API.',
    on: ['environment', 'budgets'],
    find: async ({ item, known }) => {
      (known.kind.name === 'budgets' ? storedBudgets : environmentSettings.strip()).parse(item);
      return agrees;
    },
  },
  'usage-month': {
    what: 'a workspace that has used models in a month is listed in it',
    cure: 'Put the missing item, which has only its key and a `ttl`, with `aws dynamodb put-item`; otherwise reports of the organisation leave the workspace out.',
    on: ['usage'],
    find: async ({ item, known }) => {
      const { org: orgid = '', ws: workspaceid = '', month = '' } = known.named;
      const found = await getItem(runsTable, directoryKey({ orgid, workspaceid }, month));
      return found ? agrees : [keyOf(item)];
    },
  },
} as const satisfies Readonly<Record<string, Check>>;

async function countOwners(orgid: string): Promise<number> {
  let count = 0;
  const query = {
    IndexName: 'gsi1',
    KeyConditionExpression: 'gsi1pk = :pk',
    ExpressionAttributeValues: { ':pk': memberIndex(orgid) },
  };
  for await (const items of queryPages(controlTable, query))
    count += items.filter((each) => isOwner(member.parse(each).roles)).length;
  return count;
}

export async function openAll({ item, known }: Pick<Parameters<Check['find']>[0], 'item' | 'known'>) {
  const { org: orgid = '', ws: workspaceid = '' } = known.named;
  for (const { open } of sealedValues(known, item, { orgid, workspaceid })) await open();
  return agrees;
}
