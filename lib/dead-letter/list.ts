// One page of the dead letters of the caller's workspace, and the cursor to the next. One whose run is over, because it was redriven or its
// event was sent again, is a dead letter no more.
import * as z from 'zod';
import { type Caller, requireWorkspace } from '#lib/access/caller.ts';
import { readCursor, writeCursor } from '#lib/dynamo/cursor.ts';
import { type DeadLetter, type StoredDeadLetter, shownLetter } from '#lib/run/dead-letter.ts';
import { batchMax, queryLetters, runsOver } from '#lib/run/dead-letter-items.ts';
import type { LetterPlace } from '#lib/run/dead-letter-keys.ts';
import { previewOf } from './encrypted-letter.ts';

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
  const found = await queryOpen({ orgid, workspaceid }, limit + 1, after);
  const items = await Promise.all(
    found.slice(0, limit).map(async (letter) => shownLetter(letter, await previewOf(letter))),
  );
  const last = items.at(-1);
  return {
    items,
    nextCursor: found.length > limit && last ? await writeCursor(scope, [last.id]) : undefined,
  };
}

/** Reads on until there are enough whose run is not over. */
async function queryOpen(place: LetterPlace, wanted: number, start?: string): Promise<StoredDeadLetter[]> {
  const open: StoredDeadLetter[] = [];
  for (let after = start, isDone = false; !isDone && open.length < wanted; ) {
    const asked = Math.min(wanted, batchMax);
    const page = await queryLetters(place, asked, after);
    const over = await overOf(page);
    open.push(...page.filter(({ workflow_id }) => workflow_id === undefined || !over.has(workflow_id)));
    after = page.at(-1)?.id;
    isDone = page.length < asked;
  }
  return open.slice(0, wanted);
}

async function overOf(letters: readonly StoredDeadLetter[]): Promise<ReadonlySet<string>> {
  const ids = letters.flatMap(({ workflow_id }) => workflow_id ?? []);
  return ids.length === 0 ? new Set() : await runsOver(ids);
}
