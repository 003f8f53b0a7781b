// The checks of builds: rows, their flows, history and lists, and which build is live.
import { batchGet, batchGetMax } from '#lib/dynamo/batch.ts';
import { controlTable } from '#lib/dynamo/client.ts';
import { getItem, type Key } from '#lib/dynamo/items.ts';
import { queryCount } from '#lib/dynamo/query.ts';
import { decrypt } from '#lib/envelope.ts';
import type { KnownItem } from '#lib/inventory/kind.ts';
import { collectChunks, keyOf, type StoredItem } from '#lib/inventory/partitions.ts';
import { readCard } from '#lib/registry/card/published-card.ts';
import { storedSignatures } from '#lib/registry/card/signature-items.ts';
import { flowContext } from '#lib/registry/flow-payload.ts';
import { storedHistoryEntry } from '#lib/registry/history/entry.ts';
import { postingKeys } from '#lib/registry/listing/postings.ts';
import { agentCard } from '#lib/registry/row/agent-card.ts';
import { flowIndex, flowKey, ownerKey, readRow, rowKey } from '#lib/registry/row/row-items.ts';
import { type StoredRow, storedFlow, storedOwner, storedRow } from '#lib/registry/row/stored-row.ts';
import { livePostingKeys, parseLivePosting } from '#lib/registry/search-index/live-postings.ts';
import { agrees, type Check, type Subject } from './check.ts';

const itself = (item: StoredItem) => [keyOf(item)];
const unless = (isWell: boolean, item: StoredItem) => (isWell ? agrees : itself(item));

export const registryChecks = {
  'live-row': {
    what: 'a row is live exactly if its flow points to it',
    cure: 'Promote the build that should be live: `POST /api/v1/a2a-registry/{id}/promote`. If that answers 409 for good, restore the flow item and its rows from point-in-time recovery.',
    on: ['registry row'],
    find: async ({ item }) => {
      const row = storedRow.parse(item);
      const flow = await getItem(controlTable, flowKey(row.flowid, row.orgid, row.workspaceid));
      const isPointedTo = flow?.live === row.a2aregistryid;
      return unless(flow !== undefined && isPointedTo === (row.status === 'live'), item);
    },
  },
  'live-pointer': {
    what: 'the build to which a flow points exists, belongs to the flow and is live',
    cure: 'As for `live-row`.',
    on: ['flow'],
    find: async ({ item }) => {
      const flow = storedFlow.parse(item);
      if (flow.live === undefined) return agrees;
      const row = await readRow(flow.live);
      const isOfFlow =
        row?.flowid === flow.flowid && row.orgid === flow.orgid && row.workspaceid === flow.workspaceid;
      return unless(isOfFlow && row.status === 'live', item);
    },
  },
  'build-count': {
    what: 'a flow counts as many builds as it has rows, and has numbered at least as many',
    cure: 'Restore the missing rows from point-in-time recovery; new builds keep their numbers either way.',
    on: ['flow'],
    find: async ({ item }) => {
      const { orgid, workspaceid, flowid, build_count, last_build_no } = storedFlow.parse(item);
      const found = await queryCount(
        controlTable,
        {
          IndexName: 'gsi2',
          KeyConditionExpression: 'gsi2pk = :pk',
          ExpressionAttributeValues: { ':pk': flowIndex(orgid, workspaceid, flowid) },
        },
        Number.MAX_SAFE_INTEGER,
      );
      return unless(found === build_count && last_build_no >= build_count, item);
    },
  },
  'url-owner': {
    what: 'the short URL of a flow belongs to a workspace that has the flow, and its rows say the same',
    cure: 'Restore the item `OWNER` of the flow from point-in-time recovery, then update the rows that say otherwise, which signs their cards again.',
    on: ['registry row', 'URL owner'],
    find: async ({ item, known }) => {
      if (known.kind.name === 'URL owner') {
        const { orgid, workspaceid } = storedOwner.parse(item);
        const flowid = item.pk.slice(ownerKey('').pk.length);
        return unless((await getItem(controlTable, flowKey(flowid, orgid, workspaceid))) !== undefined, item);
      }
      const row = storedRow.parse(item);
      const owner = await getItem(controlTable, ownerKey(row.flowid));
      const isOwner = owner?.orgid === row.orgid && owner.workspaceid === row.workspaceid;
      return unless(owner !== undefined && isOwner === row.owns_live_url, item);
    },
  },
  'row-history': {
    what: 'the history of a row has no gaps and ends with the version and the status of the row, or with its deletion',
    cure: 'Restore the partition of the row from point-in-time recovery. What a row is does not depend on its history.',
    on: ['registry row', 'row history'],
    find: async ({ item, known, group }) => {
      const row = group.items.find(({ sk }) => sk === 'META');
      // A row is checked once: where it is, or at the first entry that is left of it.
      const first = group.items.find(({ sk }) => sk.startsWith('HISTORY#'));
      if (known.kind.name === 'row history' && (row || first !== item)) return agrees;
      const entries = group.items
        .filter(({ sk }) => sk.startsWith('HISTORY#'))
        .map((each) => storedHistoryEntry.parse(each));
      const isWhole = entries.every(({ version }, n) => version === n + 1);
      const last = entries.at(-1);
      const fitsRow = row
        ? last?.version === row.version && last?.to === row.status
        : last?.action === 'deleted';
      return unless(isWhole && fitsRow, item);
    },
  },
  'flow-payload': {
    what: 'the flow of a row is complete and decrypts under the context of the row',
    cure: 'Register the flow again: `PUT /api/v1/a2a-registry/{id}`. If many rows are found, the key or the tenant id is not that of the tables.',
    on: ['registry row'],
    opens: true,
    find: async ({ item, group }) => {
      const row = storedRow.parse(item);
      const bytes = collectChunks(group.items, `PAYLOAD#${row.payload_id}#`, row.payload_chunks);
      if (!bytes) return itself(item);
      const flow: unknown = JSON.parse(await decrypt(bytes, flowContext(row)));
      return unless(typeof flow === 'object' && flow !== null && !Array.isArray(flow), item);
    },
  },
  'row-card': {
    what: 'the card of a row can be read',
    cure: 'Update the row, which publishes its card again.',
    on: ['registry row'],
    find: async ({ item }) => unless(readCard(storedRow.parse(item)).name !== '', item),
  },
  'card-signatures': {
    what: 'the signatures of a card can be read, and none is empty',
    cure: 'Delete the item with `aws dynamodb delete-item`; the next request for the card has it signed again.',
    on: ['card signatures'],
    find: async ({ item }) => {
      const forms = Object.values(storedSignatures.parse(item)).filter((each) => each !== undefined);
      const signatures = forms.flatMap((form) => form.signatures);
      return unless(
        signatures.every(({ protected: header, signature }) => header !== '' && signature !== ''),
        item,
      );
    },
  },
  'row-lists': {
    what: 'all postings by which lists find a row are there',
    cure: 'Update the row. If many rows are found, run `npm run migrate -- --tenant {id} list-index`.',
    on: ['registry row'],
    find: async ({ item }) => {
      const row = storedRow.parse(item);
      const keys = postingKeys(row, row.postings ?? {});
      return unless((await countItems(keys)) === keys.length, item);
    },
  },
  'row-search': {
    what: 'discovery finds a live row by its words, and in the lists of live and, if it is public, of public agents',
    cure: 'Promote another build, then this one again. If many rows are found, run `npm run migrate -- --tenant {id} search-index`.',
    on: ['registry row'],
    find: async ({ item }) => {
      const row = storedRow.parse(item);
      if (row.status !== 'live') return agrees;
      const flow = await getItem(controlTable, flowKey(row.flowid, row.orgid, row.workspaceid));
      const isListed =
        flow?.gsi2sk === row.a2aregistryid &&
        flow.gsi3sk === (row.visibility === 'public' ? row.a2aregistryid : undefined);
      const keys = findLiveKeys(row);
      // `row-card` finds a card that cannot be read.
      if (!keys) return agrees;
      return unless(isListed && keys.length > 0 && (await countItems(keys)) === keys.length, item);
    },
  },
} as const satisfies Readonly<Record<string, Check>>;

/** Undefined where the card cannot be read. */
const findLiveKeys = (row: StoredRow): Key[] | undefined =>
  agentCard.safeParse(JSON.parse(row.card)).success ? livePostingKeys(row) : undefined;

async function countItems(keys: readonly Key[]): Promise<number> {
  let count = 0;
  for (let n = 0; n < keys.length; n += batchGetMax) {
    const some = keys.slice(n, n + batchGetMax);
    const options = { ConsistentRead: true, ProjectionExpression: 'pk' };
    count += (await batchGet(controlTable, some, options)).length;
  }
  return count;
}

/** What a writer that died has left: nothing reads it, and it does no harm. */
export async function isLeftover({ item, known, group }: Subject): Promise<boolean> {
  if (known.kind.name === 'flow chunk') {
    const row = group.items.find(({ sk }) => sk === rowKey('').sk);
    return !row || !item.sk.startsWith(`PAYLOAD#${row.payload_id}#`);
  }
  if (known.kind.name === 'former search document') return true;
  if (known.kind.name === 'live posting' || known.kind.name === 'public posting')
    return await isFormerPosting(item, known.named);
  if (known.kind.name === 'card signatures') return (await readRow(known.named.row ?? '')) === undefined;
  if (!['posting', 'word posting', 'build posting'].includes(known.kind.name)) return false;
  const id = known.named.row ?? '';
  const row = await readRow(id);
  return (
    !row?.postings || !postingKeys(row, row.postings).some(({ pk, sk }) => pk === item.pk && sk === item.sk)
  );
}

async function isFormerPosting({ pk, sk }: StoredItem, named: KnownItem['named']): Promise<boolean> {
  const { agent } = parseLivePosting(sk);
  const flow = await getItem(controlTable, flowKey(agent.flowid, agent.orgid, agent.workspaceid));
  const row = flow?.live === undefined ? undefined : await readRow(String(flow.live));
  if (!row || row.search_id !== named.write) return true;
  const keys = findLiveKeys(row);
  return keys !== undefined && !keys.some((key) => key.pk === pk && key.sk === sk);
}
