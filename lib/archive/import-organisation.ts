// Writes the records of an archive into the tables of another tenant: encrypted for it, cards signed for its addresses.
// Every write can be repeated, so an import that was interrupted is resumed from its beginning.
import { batchPut } from '#lib/dynamo/batch.ts';
import { controlTable } from '#lib/dynamo/client.ts';
import { getItem, type Item, putItem } from '#lib/dynamo/items.ts';
import { queryFirst } from '#lib/dynamo/query.ts';
import type { WorkspaceScope } from '#lib/ids.ts';
import { identify, type KindName } from '#lib/inventory/identify.ts';
import type { KnownItem, TableName } from '#lib/inventory/kind.ts';
import { type StoredItem, tables, toStored } from '#lib/inventory/partitions.ts';
import { sealedValues } from '#lib/inventory/sealed-values.ts';
import { buildsPartition } from '#lib/registry/listing/posting-keys.ts';
import { storedRow } from '#lib/registry/row/stored-row.ts';
import { storeFirstSnapshot } from '#lib/run/run-snapshot.ts';
import { parseRun } from '#lib/run/stored-run.ts';
import { memberIndex } from '#lib/session/invitation-items.ts';
import { storedTrigger } from '#lib/trigger/stored-trigger.ts';
import { triggerItem } from '#lib/trigger/trigger-items.ts';
import {
  type ArchiveRecord,
  archiveVersion,
  end,
  type Header,
  header,
  record,
  unpackBytes,
} from './format.ts';
import { importRow } from './import-row.ts';
import { isMoved } from './moves.ts';

export interface Inspected {
  readonly header: Header;
  readonly records: number;
  /** Flows whose short URL belonged to the workspace, as `flowid workspaceid`. */
  readonly ownedUrls: ReadonlySet<string>;
}

/** What is wrong with an archive, or with importing it into this tenant. */
export class ImportRefusal extends Error {
  override readonly name = 'ImportRefusal';
}
const refused = (what: string) => new ImportRefusal(what);

/** Reads the whole archive, so that nothing is written of one that is not whole. */
export async function inspectArchive(lines: AsyncIterable<string>): Promise<Inspected> {
  let first: Header | undefined;
  let records = 0;
  let isWhole = false;
  const ownedUrls = new Set<string>();
  for await (const line of lines) {
    const value: unknown = JSON.parse(line);
    if (!first) first = readHeader(value);
    else if (end.safeParse(value).data?.records === records) isWhole = true;
    else {
      const { item, flow } = checkRecord(value, first);
      records += 1;
      if (flow !== undefined && item.owns_live_url === true)
        ownedUrls.add(`${item.flowid} ${item.workspaceid}`);
    }
  }
  if (!first || !isWhole) throw refused('The archive is not whole.');
  return { header: first, records, ownedUrls };
}

function readHeader(value: unknown): Header {
  const { data } = header.safeParse(value);
  if (!data) throw refused('The file is no archive of an organisation.');
  if (data.version > archiveVersion)
    throw refused(
      `The archive has version ${data.version}; this version of the service reads up to ${archiveVersion}.`,
    );
  return data;
}

/** An archive may have been made by somebody else: no record may name another organisation. */
function checkRecord(value: unknown, { orgid, with_secrets }: Header): ArchiveRecord {
  const given = record.parse(value);
  const { table, item } = given;
  const known = identify(table, item);
  const named = known?.named.org ?? (known?.kind.owner === 'attributes' ? item.orgid : orgid);
  if (!known || !isMoved(known.kind.name, with_secrets) || named !== orgid || (item.orgid ?? orgid) !== orgid)
    throw refused(`The archive has an item that is not of ${orgid}: ${item.pk} ${item.sk}.`);
  return given;
}

const markerKey = (orgid: string) => ({ pk: `MIGRATION#import-${orgid}`, sk: 'META' });

/** Refuses an organisation that the tenant has, unless this very import is resumed. */
export async function beginImport({ orgid, archive_id }: Header, resume: boolean): Promise<void> {
  const marker = await getItem(controlTable, markerKey(orgid));
  if (marker?.archive_id === archive_id && marker.state === 'running') {
    if (resume) return;
    throw refused(`The import of ${orgid} was interrupted; --resume continues it.`);
  }
  if (marker?.archive_id === archive_id)
    throw refused(`${orgid} was imported from this archive at ${marker.updated_at}.`);
  if (await exists(orgid)) throw refused(`The tenant has an organisation ${orgid}.`);
  if (resume) throw refused(`There is no import of ${orgid} from this archive that could be resumed.`);
  await note(orgid, archive_id, 'running');
}

export const endImport = async ({ orgid, archive_id }: Header): Promise<void> =>
  await note(orgid, archive_id, 'done');

async function note(orgid: string, archive_id: string, state: 'running' | 'done'): Promise<void> {
  await putItem(controlTable, {
    ...markerKey(orgid),
    archive_id,
    state,
    updated_at: new Date().toISOString(),
  });
}

async function exists(orgid: string): Promise<boolean> {
  const places = [
    ['pk', `ORG#${orgid}`],
    ['pk', buildsPartition(orgid)],
    ['pk', `BUDGET#${orgid}`],
    ['gsi1pk', memberIndex(orgid)],
    ['gsi1pk', `KEYS#${orgid}`],
  ] as const;
  for (const [name, value] of places) {
    const query = {
      ...(name === 'gsi1pk' && { IndexName: 'gsi1' }),
      KeyConditionExpression: `${name} = :value`,
      ExpressionAttributeValues: { ':value': value },
    };
    if ((await queryFirst(controlTable, query, 1)).length > 0) return true;
  }
  return false;
}

export interface ImportOptions {
  readonly inspected: Inspected;
  /** RFC 3339. */
  readonly at: string;
  /** Whether schedules run at once, as at the source. */
  readonly startSchedules: boolean;
  readonly note: (imported: number) => void;
}

/** Items in flight at the same time. */
const concurrency = 8;

export async function importRecords(lines: AsyncIterable<string>, options: ImportOptions): Promise<void> {
  const { header: about, records } = options.inspected;
  let count = 0;
  let batch: ArchiveRecord[] = [];
  let seen = -1;
  const write = async () => {
    await Promise.all(batch.map((each) => importRecord(each, options)));
    count += batch.length;
    batch = [];
    options.note(count);
  };
  for await (const line of lines) {
    seen += 1;
    if (seen === 0 || seen > records) continue;
    const next = checkRecord(JSON.parse(line), about);
    // The later one of two records of the same item is the newer one.
    if (batch.some((each) => isSameItem(each, next))) await write();
    batch.push(next);
    if (batch.length === concurrency || seen === records) await write();
  }
}

const isSameItem = (one: ArchiveRecord, other: ArchiveRecord): boolean =>
  one.table === other.table && one.item.pk === other.item.pk && one.item.sk === other.item.sk;

async function importRecord(given: ArchiveRecord, options: ImportOptions): Promise<void> {
  const { table, item, flow } = given;
  const stored = toStored(Object(unpackBytes(item)));
  const known = identify(table, stored);
  if (!known) return;
  await requireOwn(table, stored, options.inspected.header.orgid);
  if (flow !== undefined) return await importRow(storedRow.parse(stored), flow, options.inspected.ownedUrls);
  await batchPut(tables[table], [await adapt(known, stored, given, options)]);
}

/** No record may change a row, a run or a key of another organisation of the tenant that happens to have the id. */
async function requireOwn(table: TableName, { pk, sk }: StoredItem, orgid: string): Promise<void> {
  const header = pk.startsWith('RUN#') ? 'HEAD' : 'META';
  for (const each of new Set([header, sk])) {
    const found = await getItem(tables[table], { pk, sk: each });
    if (found?.orgid !== undefined && found.orgid !== orgid)
      throw refused(`Another organisation of the tenant has ${pk}.`);
  }
}

async function adapt(
  known: KnownItem<KindName>,
  item: StoredItem,
  { workspaceid, first_snapshot }: ArchiveRecord,
  { inspected, at, startSchedules }: ImportOptions,
): Promise<Item> {
  const owner = { orgid: inspected.header.orgid, workspaceid };
  const { name } = known.kind;
  // Its signature is of the key of another tenant. An id that is good for nothing shows which keys to issue again.
  if (name === 'API key') return { ...item, revoked_at: item.revoked_at ?? at };
  if (name === 'trigger' && !startSchedules) return stopSchedule(item, at);
  if (name === 'run') return await adaptRun(known, item, first_snapshot);
  return await seal(known, item, owner);
}

/** A schedule must not run at both tenants. */
function stopSchedule(item: StoredItem, at: string): Item {
  const { next_due: _, ...trigger } = storedTrigger.parse(item);
  if (!trigger.schedule || !trigger.enabled) return item;
  const disabled_reason =
    'The organisation was imported. Enable the schedule once it is off at its former place.';
  return triggerItem({
    ...trigger,
    enabled: false,
    disabled_reason,
    version: trigger.version + 1,
    updated_at: at,
  });
}

/** Push notification configurations, and the snapshot of a run that is over, do not move. */
async function adaptRun(
  known: KnownItem<KindName>,
  item: StoredItem,
  firstSnapshot: string | undefined,
): Promise<Item> {
  const { push_configs: _, fork: __, ...rest } = item;
  const run = parseRun(item);
  const sealed = await seal(known, toStored(rest), run);
  if (!run.fork || firstSnapshot === undefined) return sealed;
  return {
    ...sealed,
    fork: { ...run.fork, chunks: await storeFirstSnapshot(run, JSON.parse(firstSnapshot)) },
  };
}

async function seal(known: KnownItem<KindName>, item: StoredItem, owner: WorkspaceScope): Promise<Item> {
  const sealed: Record<string, Uint8Array> = {};
  for (const value of sealedValues(known, item, owner)) {
    const plain = item[value.attribute];
    if (typeof plain === 'string') sealed[value.attribute] = await value.seal(plain);
  }
  return { ...item, ...sealed };
}
