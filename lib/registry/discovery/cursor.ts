// Where a page of search results ended: the score and the id of its last hit, bound to the question and the caller.
import { createHash } from 'node:crypto';
import * as z from 'zod';
import type { Caller } from '#lib/access/caller.ts';
import { ServiceError } from '#lib/errors.ts';
import type { Ranked } from './rank.ts';
import { byRank } from './rank.ts';
import type { Hit, SearchQuery } from './search.ts';

interface Position {
  readonly score: number;
  readonly document: { readonly id: string };
}

/** Not secret: a forged cursor only skips results that the caller may see. */
const content = z.tuple([z.literal(1), z.string(), z.number(), z.string()]);

export const writeCursor = ({ row, score }: Hit, fingerprint: string): string =>
  Buffer.from(JSON.stringify([1, fingerprint, score, row.a2aregistryid])).toString('base64url');

export function readCursor(cursor: string, fingerprint: string): Position {
  const parsed = content.safeParse(parseJson(Buffer.from(cursor, 'base64url').toString()));
  if (parsed.success && parsed.data[1] === fingerprint)
    return { score: parsed.data[2], document: { id: parsed.data[3] } };
  const detail = 'must be the nextCursor of an answer to the same question by the same caller';
  throw new ServiceError('validation_failed', { errors: [{ pointer: '/query/cursor', detail }] });
}

export const isAfter = (hit: Ranked, position: Position): boolean => byRank(hit, position) > 0;

export function fingerprintOf({ id, orgid }: Caller, query: SearchQuery): string {
  const { q, tag, input_mode, output_mode, status } = query;
  const parts = JSON.stringify([id, orgid, q, tag, input_mode, output_mode, status]);
  return createHash('sha256').update(parts).digest('base64url').slice(0, 16);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
