// One page of the triggers of a workspace, newest first, and the cursor to the next.
import * as z from 'zod';
import { type Caller, requireWorkspace } from '#lib/access/caller.ts';
import { readCursor, writeCursor } from '#lib/dynamo/cursor.ts';
import { jsonBytes } from '#lib/json/size.ts';
import { readPage } from '#lib/registry/listing/page.ts';
import type { ListRead } from '#lib/registry/listing/walk.ts';
import { type StoredTrigger, storedTrigger, type TriggerKind } from './stored-trigger.ts';
import { workspaceIndex } from './trigger-items.ts';

interface TriggerQuery {
  readonly workspaceid: string;
  readonly flowid?: string | undefined;
  readonly kind?: TriggerKind | undefined;
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

const limitDefault = 50;
const position = z.tuple([z.string().min(1)]);

export async function listTriggers(
  caller: Caller,
  { workspaceid, flowid, kind, limit = limitDefault, cursor }: TriggerQuery,
): Promise<{ items: readonly StoredTrigger[]; nextCursor: string | undefined }> {
  requireWorkspace(caller, workspaceid);
  const scope = { list: 'triggers', caller, query: { workspaceid, flowid, kind } };
  const [after] = cursor === undefined ? [] : await readCursor(cursor, scope, position);
  const read: ListRead<StoredTrigger> = {
    streams: [[{ index: 'gsi1', key: workspaceIndex(caller.orgid, workspaceid) }]],
    isDescending: true,
    after,
    // One more than the page, to know whether there is a next one.
    readSize: limit + 1,
    parse: (item) => storedTrigger.parse(item),
    answerBytes,
    load: async () => new Map<string, StoredTrigger>(),
  };
  const isWanted = (trigger: StoredTrigger) =>
    (flowid === undefined || trigger.flowid === flowid) && (kind === undefined || trigger.kind === kind);
  const { items, next } = await readPage(read, limit, isWanted);
  return { items, nextCursor: next === undefined ? undefined : await writeCursor(scope, [next]) };
}

/**
 * The variables are stored as JSON, the message is not: in a buffered answer it is JSON inside JSON, so that
 * a quote has four bytes.
 */
const answerBytes = ({ message, ...trigger }: StoredTrigger): number =>
  jsonBytes(trigger) + jsonBytes(JSON.stringify(message ?? ''));
