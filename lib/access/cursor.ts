// Cursors of pages. Not secret: a forged one cannot leave the partition, which is rebuilt from the caller and the query.
import { createHash } from 'node:crypto';
import * as z from 'zod';
import { ServiceError } from '#lib/errors.ts';

const version = 1;
const content = z.tuple([z.literal(version), z.string()], z.string());

export const writeCursor = (fingerprint: string, place: readonly string[]): string =>
  Buffer.from(JSON.stringify([version, fingerprint, ...place])).toString('base64url');

/** The `length` strings of the place; a cursor of another query or another caller is a 400. */
export function readCursor(cursor: string, fingerprint: string, length: number): string[] {
  const [, given, ...place] = content.safeParse(parseJson(cursor)).data ?? [];
  if (given === fingerprint && place.length === length) return place;
  throw badCursor();
}

export function badCursor(): ServiceError {
  const detail = 'must be the nextCursor of an answer to the same query by the same organisation';
  return new ServiceError('validation_failed', { errors: [{ pointer: '/query/cursor', detail }] });
}

/** Of everything that a cursor is good for. */
export const fingerprintOf = (parts: readonly (string | undefined)[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 16);

function parseJson(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString());
  } catch {
    return undefined;
  }
}
