// Reads all that an organisation has and that moves, decrypted, as the records of an archive. It only reads.
import { decrypt } from '#lib/envelope.ts';
import type { WorkspaceScope } from '#lib/ids.ts';
import { identify, type KindName } from '#lib/inventory/identify.ts';
import type { KnownItem } from '#lib/inventory/kind.ts';
import { collectChunks, type Group, readSegment, type StoredItem } from '#lib/inventory/partitions.ts';
import { sealedValues } from '#lib/inventory/sealed-values.ts';
import { openFlow } from '#lib/registry/flow-payload.ts';
import { storedRow } from '#lib/registry/row/stored-row.ts';
import { snapshotContext } from '#lib/run/run-snapshot.ts';
import { isFinal, parseRun } from '#lib/run/stored-run.ts';
import { type ArchiveRecord, packBytes } from './format.ts';
import { isMoved } from './moves.ts';

export interface ExportOptions {
  readonly orgid: string;
  readonly withSecrets: boolean;
  /** Ms since 1970. What has expired does not move. */
  readonly now: number;
  /** Called for what is of the organisation and stays. */
  readonly leave: (kind: KindName | 'run that is not over') => void;
}

/** Reads both tables once, whatever else is in them: a page at a time. */
export async function* exportOrganisation(options: ExportOptions): AsyncGenerator<ArchiveRecord, void> {
  for (const table of ['control', 'runs'] as const)
    for await (const { groups } of readSegment({ table, segment: 0, of: 1 }, undefined))
      for (const group of groups) yield* exportGroup(group, options);
}

async function* exportGroup(group: Group, options: ExportOptions): AsyncGenerator<ArchiveRecord, void> {
  const header = group.items.find(({ sk }) => sk === 'META' || sk === 'HEAD');
  const isOpenRun = header?.sk === 'HEAD' && !isFinal(parseRun(header).status);
  for (const item of group.items) {
    const known = identify(group.table, item);
    const owner = known && findOwner(known, item, header);
    if (!known || owner?.orgid !== options.orgid || isExpired(item, options.now)) continue;
    const { name } = known.kind;
    if (isOpenRun && item !== header) continue;
    if (isOpenRun) options.leave('run that is not over');
    else if (isMoved(name, options.withSecrets)) yield await toRecord(known, item, { group, owner });
    else options.leave(name);
  }
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
    ...(known.kind.name === 'registry row' && {
      flow: JSON.stringify(await openFlow(storedRow.parse(item))),
    }),
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
