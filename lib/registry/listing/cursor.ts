// The cursor to the next page: a position, and a seal of the caller and the filters it was made for.
import { createHash } from 'node:crypto';
import * as z from 'zod';
import { ServiceError } from '#lib/errors.ts';

/** Not secret: a forged cursor cannot leave the partition, which is rebuilt from the caller and the query. */
const cursorContent = z.tuple([z.literal(2), z.string(), z.string().min(1)]);

export const sealOf = (madeFor: unknown): string =>
  createHash('sha256').update(JSON.stringify(madeFor)).digest('base64url').slice(0, 16);

export const writeCursor = (position: string, seal: string): string =>
  Buffer.from(JSON.stringify([2, seal, position])).toString('base64url');

/** The position. */
export function readCursor(cursor: string, seal: string): string {
  const parsed = cursorContent.safeParse(parseJson(Buffer.from(cursor, 'base64url').toString()));
  if (parsed.success && parsed.data[1] === seal) return parsed.data[2];
  const detail = 'must be the nextCursor of an answer to the same query by the same caller';
  throw new ServiceError('validation_failed', { errors: [{ pointer: '/query/cursor', detail }] });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
