// Cursors of pages: a place, sealed to the caller and the query that it was found with. Not secret: a forged one cannot leave what the
// caller may see, since every read is keyed anew by the caller.
import { createHash } from 'node:crypto';
import type * as z from 'zod';
import { ServiceError } from './errors.ts';

/** Of the form below. A cursor of another version is refused like any that is not ours. */
const version = 1;

/** Of everything that a cursor is good for. */
export const sealOf = (madeFor: unknown): string =>
  createHash('sha256').update(JSON.stringify(madeFor)).digest('base64url').slice(0, 16);

export const writeCursor = (seal: string, place: readonly (string | number)[]): string =>
  Buffer.from(JSON.stringify([version, seal, ...place])).toString('base64url');

/** The place; a cursor of another query or another caller is a 400. */
export function readCursor<T>(cursor: string, seal: string, place: z.ZodType<T>): T {
  const [form, given, ...rest] = contentOf(cursor);
  const parsed = place.safeParse(rest);
  if (form === version && given === seal && parsed.success) return parsed.data;
  throw badCursor();
}

export function badCursor(): ServiceError {
  const detail = 'must be the nextCursor of an answer to the same query by the same caller';
  return new ServiceError('validation_failed', { errors: [{ pointer: '/query/cursor', detail }] });
}

function contentOf(cursor: string): readonly unknown[] {
  try {
    const content: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    return Array.isArray(content) ? content : [];
  } catch {
    return [];
  }
}
