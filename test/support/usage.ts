// Usage of models for tests: what runs are stored to have used, and what the API says of it.

import { newRunId } from '#lib/ids.ts';
import type { Usage } from '#lib/model/usage.ts';
import { appendEvent, insertRun } from '#lib/run/run-items.ts';
import type { StoredRun } from '#lib/run/stored-run.ts';
import type { TestCaller } from './caller.ts';
import { type BodyOf, call } from './client.ts';
import { run } from './stored-run.ts';

export const used = (some: Partial<Usage> = {}): Usage => ({
  model: 'test/small',
  input: 100,
  output: 10,
  cost: 0.0005,
  ...some,
});

type Owner = Pick<TestCaller, 'id' | 'orgid' | 'workspaceid'>;

/** A run that nothing is stored of yet but that it has begun. */
export async function begunRun({ id, orgid, workspaceid }: Owner, some: Partial<StoredRun> = {}) {
  const until = Date.now() + 3_600_000;
  const begun = run({
    run_id: newRunId(),
    generation: 0,
    lease: 'lease',
    lease_until: until,
    deadline: until,
    ttl: Math.floor(until / 1_000),
    orgid,
    workspaceid,
    caller_id: id,
    caller_orgid: orgid,
    ...some,
  });
  await insertRun(begun);
  return begun;
}

/** A run that has used these models, and ended. */
export async function endedRun(
  owner: Owner,
  at: string,
  usage: readonly Usage[],
  some: Partial<StoredRun> = {},
): Promise<StoredRun> {
  const begun = await begunRun(owner, some);
  const event = { generation: 1, at, status: 'completed', usage: JSON.stringify(usage) } as const;
  await appendEvent({ run: begun, event });
  return begun;
}

export type UsagePage = BodyOf<'listUsage'>;

export const readUsage = async (
  { key }: Pick<TestCaller, 'key'>,
  query: Readonly<Record<string, string>> = {},
): Promise<UsagePage['items']> => (await call('listUsage', { key, query })).body.items;
