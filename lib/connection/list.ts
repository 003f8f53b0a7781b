// One page of the connections that a caller may see in a workspace, and the cursor to the next page: the
// shared ones by name, then the caller's own by name, never those of other callers.
import * as z from 'zod';
import { type Caller, requireWorkspace } from '#lib/access/caller.ts';
import { readCursor, writeCursor } from '#lib/dynamo/cursor.ts';
import { connectionScope } from '#lib/flow/format/connection.ts';
import { jsonBytes } from '#lib/json/size.ts';
import type { Connection, ConnectionOwner } from './connection.ts';
import { queryConnections } from './connection-items.ts';
import { withExternalId } from './external-id.ts';
import { toConnectionOwner } from './own-connection.ts';

interface ConnectionQuery {
  readonly workspaceid: string;
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

const limitDefault = 100;
/**
 * A buffered response of Lambda takes 6 MB. The length of a host has no limit of its own, so 200 connections
 * may be larger.
 */
const pageBytesMax = 4_000_000;

/** The scope and name of the last connection of a page. */
const position = z.tuple([connectionScope, z.string()]);
type Position = z.infer<typeof position>;

export async function listConnections(
  caller: Caller,
  { workspaceid, limit = limitDefault, cursor }: ConnectionQuery,
): Promise<{ items: Connection[]; nextCursor: string | undefined }> {
  requireWorkspace(caller, workspaceid);
  const cursorScope = { list: 'connections', caller, query: { workspaceid } };
  const after = cursor === undefined ? undefined : await readCursor(cursor, cursorScope, position);
  const items: Connection[] = [];
  let bytes = 0;
  // One more than the page, to know whether there is a next one.
  const owner = toConnectionOwner(caller, workspaceid);
  for await (const stored of connectionsAfter(owner, after, limit + 1)) {
    const connection = await withExternalId(owner, stored);
    bytes += responseBytes(connection);
    const last = items.at(-1);
    if (last && (items.length === limit || bytes > pageBytesMax))
      return { items, nextCursor: await writeCursor(cursorScope, [last.scope, last.name]) };
    items.push(connection);
  }
  return { items, nextCursor: undefined };
}

/** In the order of the list. Queries run only as the reader advances. */
async function* connectionsAfter(owner: ConnectionOwner, after: Position | undefined, count: number) {
  const [afterScope, afterName] = after ?? ['organization' as const, undefined];
  let left = count;
  const scopes = connectionScope.options.slice(connectionScope.options.indexOf(afterScope));
  for (const scope of scopes) {
    const name = scope === afterScope ? afterName : undefined;
    for await (const connection of queryConnections(owner, scope, { after: name, count: left })) {
      left -= 1;
      yield connection;
    }
  }
}

/** A buffered response is JSON inside JSON, in which each quotation mark takes two bytes. */
const responseBytes = (connection: Connection): number => jsonBytes(JSON.stringify(connection));
