// One page of a list of which a caller sees a part: items are read until the page is full, or there are no more.
import type * as z from 'zod';
import { type CursorBinding, readCursor, writeCursor } from './cursor.ts';

export interface PageQuery {
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

export interface FilteredPage<T> {
  readonly items: T[];
  readonly nextCursor: string | undefined;
}

interface List<T, P extends readonly string[]> extends Omit<CursorBinding, 'query'> {
  readonly position: z.ZodType<P>;
  readonly getPosition: (item: T) => P;
  /** Fewer than `limit` only where there are no more. */
  readonly read: (limit: number, after: P | undefined) => Promise<T[]>;
  readonly isShown: (item: T) => boolean;
}

const limitDefault = 50;

export async function readFilteredPage<T, P extends readonly string[]>(
  { limit = limitDefault, cursor }: PageQuery,
  list: List<T, P>,
): Promise<FilteredPage<T>> {
  const binding = { list: list.list, caller: list.caller, query: {} };
  const start = cursor === undefined ? undefined : await readCursor(cursor, binding, list.position);
  const found = await readShown(list, limit + 1, start);
  const items = found.slice(0, limit);
  const last = items.at(-1);
  const hasMore = found.length > limit && last !== undefined;
  return { items, nextCursor: hasMore ? await writeCursor(binding, list.getPosition(last)) : undefined };
}

async function readShown<T, P extends readonly string[]>(
  { read, isShown, getPosition }: List<T, P>,
  wanted: number,
  start: P | undefined,
): Promise<T[]> {
  const shown: T[] = [];
  for (let after = start, isDone = false; !isDone && shown.length < wanted; ) {
    const page = await read(wanted, after);
    shown.push(...page.filter(isShown));
    const last = page.at(-1);
    after = last && getPosition(last);
    isDone = page.length < wanted;
  }
  return shown.slice(0, wanted);
}
