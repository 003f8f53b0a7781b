// One page of the dead letters of the caller's workspace, and the cursor to the next.
import * as z from 'zod';
import type { Caller } from '#lib/access/caller.ts';
import { requireWorkspace } from '#lib/access/permission.ts';
import { readCursor, writeCursor } from '#lib/cursor.ts';
import { type DeadLetter, shownLetter } from './dead-letter.ts';
import { previewOf } from './encrypted-letter.ts';
import { queryLetters } from './store.ts';

interface LetterQuery {
  readonly workspaceid: string;
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

const limitDefault = 50;
const place = z.tuple([z.string()]);

export async function listDeadLetters(
  caller: Caller,
  { workspaceid, limit = limitDefault, cursor }: LetterQuery,
): Promise<{ items: DeadLetter[]; nextCursor: string | undefined }> {
  requireWorkspace(caller, workspaceid);
  const { orgid } = caller;
  const scope = { list: 'dead-letters', caller, query: { workspaceid } };
  const [after] = cursor === undefined ? [] : await readCursor(cursor, scope, place);
  const found = await queryLetters({ orgid, workspaceid }, limit + 1, after);
  const items = await Promise.all(
    found.slice(0, limit).map(async (letter) => shownLetter(letter, await previewOf(letter))),
  );
  const last = items.at(-1);
  return {
    items,
    nextCursor: found.length > limit && last ? await writeCursor(scope, [last.id]) : undefined,
  };
}
