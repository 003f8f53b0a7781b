// One page of what a flow has stored in an environment, and the cursor of the next page.
import * as z from 'zod';
import { type Caller, requireWorkspace } from '#lib/access/caller.ts';
import { readCursor, writeCursor } from '#lib/dynamo/cursor.ts';
import { queryValues, type ValueOwner } from '#lib/run/stored-value-items.ts';
import { type MemoryEntry, memoryKind, toMemoryEntry } from './memory-entry.ts';

interface MemoryQuery {
  readonly kind?: z.infer<typeof memoryKind> | undefined;
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

const limitDefault = 50;
const position = z.tuple([memoryKind, z.string()]);

/** The flow need not exist: what it stored is listed and deleted after its builds, too. */
export async function listMemory(
  caller: Caller,
  { workspaceid, flowid, environment }: Omit<ValueOwner, 'orgid'>,
  { kind, limit = limitDefault, cursor }: MemoryQuery,
  at: string,
): Promise<{ items: MemoryEntry[]; nextCursor: string | undefined }> {
  requireWorkspace(caller, workspaceid);
  const binding = { list: 'memory', caller, query: { workspaceid, flowid, environment, kind } };
  const read = cursor === undefined ? undefined : await readCursor(cursor, binding, position);
  const after = read && { space: read[0], key: read[1] };
  const owner = { orgid: caller.orgid, workspaceid, flowid, environment };
  const { items, last } = await queryValues(owner, { space: kind, limit, after }, Date.parse(at));
  return {
    items: items.map(toMemoryEntry),
    nextCursor: last && (await writeCursor(binding, [last.space, last.key])),
  };
}
