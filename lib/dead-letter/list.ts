// One page of the dead letters of the caller's workspace, and the cursor of the next page. A letter whose run
// has ended, because it was redriven or its event was sent again, is left out.
import * as z from 'zod';
import { type Caller, requireWorkspace } from '#lib/access/caller.ts';
import { readCursor, writeCursor } from '#lib/dynamo/cursor.ts';
import type { WorkspaceScope } from '#lib/ids.ts';
import { type DeadLetter, type StoredDeadLetter, toWireLetter } from '#lib/run/dead-letter.ts';
import { batchMax, findEndedRuns, queryLetters } from '#lib/run/dead-letter-items.ts';
import { decryptPreview } from './encrypted-letter.ts';

interface LetterQuery {
  readonly workspaceid: string;
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

const limitDefault = 50;
const position = z.tuple([z.string()]);

export async function listDeadLetters(
  caller: Caller,
  { workspaceid, limit = limitDefault, cursor }: LetterQuery,
): Promise<{ items: DeadLetter[]; nextCursor: string | undefined }> {
  requireWorkspace(caller, workspaceid);
  const { orgid } = caller;
  const binding = { list: 'dead-letters', caller, query: { workspaceid } };
  const [after] = cursor === undefined ? [] : await readCursor(cursor, binding, position);
  const found = await queryOpen({ orgid, workspaceid }, limit + 1, after);
  const items = await Promise.all(
    found.slice(0, limit).map(async (letter) => toWireLetter(letter, await decryptPreview(letter))),
  );
  const last = items.at(-1);
  return {
    items,
    nextCursor: found.length > limit && last ? await writeCursor(binding, [last.id]) : undefined,
  };
}

/** Reads pages until there are enough letters whose run has not ended. */
async function queryOpen(scope: WorkspaceScope, wanted: number, start?: string): Promise<StoredDeadLetter[]> {
  const open: StoredDeadLetter[] = [];
  for (let after = start, isDone = false; !isDone && open.length < wanted; ) {
    const limit = Math.min(wanted, batchMax);
    const page = await queryLetters(scope, limit, after);
    const ended = await findEnded(page);
    open.push(...page.filter(({ workflow_id }) => workflow_id === undefined || !ended.has(workflow_id)));
    after = page.at(-1)?.id;
    isDone = page.length < limit;
  }
  return open.slice(0, wanted);
}

async function findEnded(letters: readonly StoredDeadLetter[]): Promise<ReadonlySet<string>> {
  const ids = letters.flatMap(({ workflow_id }) => workflow_id ?? []);
  return ids.length === 0 ? new Set() : await findEndedRuns(ids);
}
