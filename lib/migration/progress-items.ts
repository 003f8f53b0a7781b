// How far a migration is: one item for each job. Every write has the condition that nobody has written since, so of two
// processes one continues.
import * as z from 'zod';
import { controlTable } from '#lib/dynamo/client.ts';
import { mustNotExist } from '#lib/dynamo/conditions.ts';
import { getItem, putItemIf } from '#lib/dynamo/items.ts';
import type { JobName } from './job-names.ts';

const storedProgress = z.object({
  state: z.enum(['running', 'done']),
  /** Items that were handled, and what became of them; the others need no change. */
  seen: z.number(),
  changed: z.number(),
  failed: z.number(),
  /** The keys of the first items that could not be rewritten. */
  failures: z.array(z.string()),
  started_at: z.string(),
  updated_at: z.string(),
  /** The key of the last item that was handled; undefined at the beginning and at the end. */
  cursor: z.record(z.string(), z.unknown()).optional(),
  /** Ms since 1970: until then no other process continues, unless the one that works releases it. */
  held_until: z.number(),
  /** Ms since 1970: when the write units that were used are paid off, so that the next items can be written. */
  next_at: z.number(),
  /** Counts the writes of this item. */
  revision: z.number(),
});
export type StoredProgress = z.infer<typeof storedProgress>;

const progressKey = (job: JobName) => ({ pk: `MIGRATION#${job}`, sk: 'META' });

export async function readProgress(job: JobName): Promise<StoredProgress | undefined> {
  const item = await getItem(controlTable, progressKey(job));
  return item && storedProgress.parse(item);
}

/** What was written; undefined when another process has written since `before` was read. */
export async function replaceProgress(
  job: JobName,
  before: StoredProgress | undefined,
  change: Omit<StoredProgress, 'revision'>,
): Promise<StoredProgress | undefined> {
  const next = { ...change, revision: (before?.revision ?? 0) + 1 };
  const condition = before
    ? { ConditionExpression: 'revision = :seen', ExpressionAttributeValues: { ':seen': before.revision } }
    : mustNotExist;
  return (await putItemIf(controlTable, { ...progressKey(job), ...next }, condition)) ? next : undefined;
}
