// Reads all that an organisation has and that moves, decrypted, as the records of an archive. It only reads.
import { runsTable } from '#lib/dynamo/client.ts';
import { getItem } from '#lib/dynamo/items.ts';
import { decrypt } from '#lib/envelope.ts';
import type { WorkspaceScope } from '#lib/ids.ts';
import { identify, type KindName } from '#lib/inventory/identify.ts';
import type { KnownItem, TableName } from '#lib/inventory/kind.ts';
import {
  collectChunks,
  type Group,
  readSegment,
  type StoredItem,
  toStored,
} from '#lib/inventory/partitions.ts';
import { sealedValues, toSecretScope } from '#lib/inventory/sealed-values.ts';
import { flowContext } from '#lib/registry/flow-payload.ts';
import { storedRow } from '#lib/registry/row/stored-row.ts';
import { snapshotContext } from '#lib/run/run-snapshot.ts';
import { isFinal, parseRun } from '#lib/run/stored-run.ts';
import { readTrigger, triggerItem } from '#lib/trigger/trigger-items.ts';
import { type Reading, readEndedRun, readFlow, readPeople } from './agreeing-parts.ts';
import { type ArchiveRecord, packBytes } from './format.ts';
import { isLeft, isMoved } from './moves.ts';

export interface ExportOptions extends Reading {
  readonly orgid: string;
  readonly withSecrets: boolean;
  /** Called for what is of the organisation and stays. */
  readonly leave: (kind: KindName | 'run that is not over') => void;
}

/**
 * Reads both tables once, whatever else is in them: a page at a time. What belongs together is read again until it agrees.
 * Rejects with a `Disagreement` if it never does. The same item may come twice, the later one as it is then.
 */
export async function* exportOrganisation(options: ExportOptions): AsyncGenerator<ArchiveRecord, void> {
  yield* exportControl(options);
  yield* exportRuns(options);
}

async function* exportControl(options: ExportOptions): AsyncGenerator<ArchiveRecord, void> {
  for await (const group of scan('control'))
    for (const item of group.items) {
      const known = identify('control', item);
      if (!known || isReadWithOthers(known.kind.name)) continue;
      if (known.kind.name === 'flow') yield* exportFlow(item, known, options);
      else yield* exportItem(item, { ...group, options });
    }
  for (const item of await readPeople(options.orgid, options))
    yield* exportItem(item, { table: 'control', items: [item], options });
}

/** Rows and their history with their flow, members with their organisation. */
const isReadWithOthers = (name: KindName): boolean =>
  ['registry row', 'row history', 'flow chunk', 'member', 'organisation'].includes(name);

async function* exportFlow(
  item: StoredItem,
  { named }: KnownItem<KindName>,
  options: ExportOptions,
): AsyncGenerator<ArchiveRecord, void> {
  if (named.org !== options.orgid) return;
  const part = await readFlow(item, options);
  if (!part) return;
  yield* exportItem(part.flow, { table: 'control', items: [part.flow], options });
  for (const build of part.builds)
    for (const each of build.items) yield* exportItem(each, { ...build, options });
}

async function* exportRuns(options: ExportOptions): AsyncGenerator<ArchiveRecord, void> {
  const months = new Set<string>();
  for await (const group of scan('runs')) {
    const header = group.items.find(({ sk }) => sk === 'HEAD');
    if (header?.orgid === options.orgid) yield* exportRun(group, header, options);
    else
      for (const item of group.items)
        for await (const record of exportItem(item, { ...group, options })) {
          const known = identify('runs', item);
          if (known?.kind.name === 'usage') months.add(`${known.named.month}#${known.named.ws}`);
          yield record;
        }
  }
  // A counter may be newer than the list of months that was read.
  for (const sk of months) {
    const listed = await getItem(runsTable, { pk: `USAGE#${options.orgid}`, sk });
    if (listed) yield* exportItem(toStored(listed), { table: 'runs', items: [toStored(listed)], options });
  }
}

async function* exportRun(
  group: Group,
  header: StoredItem,
  options: ExportOptions,
): AsyncGenerator<ArchiveRecord, void> {
  if (!isFinal(parseRun(header).status)) return options.leave('run that is not over');
  if (isExpired(header, options.now)) return;
  const run = await readEndedRun(group, options);
  for (const item of run.items) yield* exportItem(item, { ...run, options });
}

async function* scan(table: TableName): AsyncGenerator<Group, void> {
  for await (const { groups } of readSegment({ table, segment: 0, of: 1 }, undefined)) yield* groups;
}

interface Surroundings extends Group {
  readonly options: ExportOptions;
}

/** Nothing for what is of others, has expired or stays. */
async function* exportItem(
  item: StoredItem,
  { options, ...group }: Surroundings,
): AsyncGenerator<ArchiveRecord, void> {
  const header = group.items.find(({ sk }) => sk === 'META' || sk === 'HEAD');
  const known = identify(group.table, item);
  const owner = known && findOwner(known, item, header);
  if (!known || owner?.orgid !== options.orgid || isExpired(item, options.now)) return;
  const { name } = known.kind;
  if (isLeft(name, options.withSecrets)) options.leave(name);
  if (!isMoved(name, options.withSecrets)) return;
  if (name === 'signing secret') yield* exportTrigger(known, owner, options);
  yield await toRecord(known, item, { group, owner });
}

/** The trigger of a secret may be newer than the triggers that were read. */
async function* exportTrigger(
  { named }: KnownItem<KindName>,
  owner: WorkspaceScope,
  options: ExportOptions,
): AsyncGenerator<ArchiveRecord, void> {
  const { trigger } = toSecretScope(named, owner);
  const found = trigger && (await readTrigger({ orgid: owner.orgid, trigger_id: trigger.trigger_id }));
  if (!found) return;
  const item = toStored(triggerItem(found));
  yield* exportItem(item, { table: 'control', items: [item], options });
}

const isExpired = ({ ttl }: Record<string, unknown>, now: number): boolean =>
  ttl !== undefined && Number(ttl) * 1_000 <= now;

/** Undefined for what is of no organisation, or of one that is not known any more, such as the history of a row that was deleted. */
function findOwner(
  { kind, named }: KnownItem<KindName>,
  item: StoredItem,
  header: StoredItem | undefined,
): WorkspaceScope | undefined {
  const from = kind.owner === 'run' || kind.owner === 'row' ? header : item;
  const orgid = named.org ?? from?.orgid;
  if (typeof orgid !== 'string') return undefined;
  return { orgid, workspaceid: String(named.ws ?? from?.workspaceid ?? '') };
}

async function toRecord(
  known: KnownItem<KindName>,
  item: StoredItem,
  { group, owner }: { readonly group: Group; readonly owner: WorkspaceScope },
): Promise<ArchiveRecord> {
  const opened: Record<string, string> = {};
  for (const { attribute, open } of sealedValues(known, item, owner)) opened[attribute] = await open();
  const packed = packBytes({ ...item, ...opened });
  return {
    table: group.table,
    workspaceid: owner.workspaceid,
    item: { ...Object(packed), pk: item.pk, sk: item.sk },
    ...(known.kind.name === 'registry row' && { flow: await readFlowText(item, group) }),
    ...(known.kind.name === 'run' && (await firstSnapshot(item, group))),
  };
}

async function firstSnapshot(
  item: StoredItem,
  { items }: Group,
): Promise<{ readonly first_snapshot?: string }> {
  const run = parseRun(item);
  const bytes = run.fork && collectChunks(items, 'SNAPFIRST#', run.fork.chunks);
  return bytes ? { first_snapshot: await decrypt(bytes, snapshotContext(run)) } : {};
}

/** As JSON. */
async function readFlowText(item: StoredItem, { items }: Group): Promise<string> {
  const row = storedRow.parse(item);
  const bytes = collectChunks(items, `PAYLOAD#${row.payload_id}#`, row.payload_chunks);
  if (!bytes) throw new Error(`The flow of ${item.pk} is not whole.`);
  return await decrypt(bytes, flowContext(row));
}
