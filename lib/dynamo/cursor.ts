// Cursors of pages: a position in a list, and a MAC under a key of the tenant over it and over all that it is
// good for. Anybody can read a position, which is the sort key of an item that the page showed; nobody but
// the service can make one.
import { createHmac, timingSafeEqual } from 'node:crypto';
import type * as z from 'zod';
import { ServiceError } from '#lib/errors.ts';
import { derivedKey } from './derived-key.ts';

/** What a cursor is bound to: the list, the caller and the query that it was made for. */
export interface CursorBinding {
  /** The name of the list, so that no list accepts the cursor of another. */
  readonly list: string;
  readonly caller: { readonly id: string; readonly orgid: string };
  /** All parameters that select the items of the list, without the length of a page. */
  readonly query: unknown;
}

/**
 * The version of the form: the position as JSON in base64url, then the MAC. A cursor of another version is
 * refused like a forged one.
 */
const version = 2;
/** HMAC-SHA-256 in base64url. */
const macLength = 43;

export async function writeCursor(
  scope: CursorBinding,
  position: readonly (string | number)[],
): Promise<string> {
  const content = Buffer.from(JSON.stringify(position)).toString('base64url');
  return content + (await computeMac(scope, content));
}

/** The position. A cursor of another list, query or caller, and one that was changed in any bit, is a 400. */
export async function readCursor<T>(
  cursor: string,
  scope: CursorBinding,
  position: z.ZodType<T>,
): Promise<T> {
  const content = cursor.slice(0, -macLength);
  // The text is authenticated and not what it decodes to: several texts decode to the same bytes.
  if (!isEqual(cursor.slice(-macLength), await computeMac(scope, content))) throw badCursor();
  const parsed = position.safeParse(JSON.parse(Buffer.from(content, 'base64url').toString()));
  if (parsed.success) return parsed.data;
  throw badCursor();
}

async function computeMac({ list, caller, query }: CursorBinding, content: string): Promise<string> {
  const key = Buffer.from((await derivedKey('cursor')).reveal(), 'base64');
  const bound = JSON.stringify([version, list, caller.orgid, caller.id, query, content]);
  return createHmac('sha256', key).update(bound).digest('base64url');
}

function isEqual(given: string, expected: string): boolean {
  const [left, right] = [Buffer.from(given), Buffer.from(expected)];
  return left.length === right.length && timingSafeEqual(left, right);
}

function badCursor(): ServiceError {
  const detail = 'must be the next cursor of an answer to the same query by the same caller';
  return new ServiceError('validation_failed', { errors: [{ pointer: '/query/cursor', detail }] });
}
