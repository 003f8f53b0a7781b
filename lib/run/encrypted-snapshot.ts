// Where a run stands, sealed and opened. The encryption context names the run, so that a snapshot opens in no other.
import { requireEnv } from '#lib/env.ts';
import { createSealer, type EncryptionContext, open } from '#lib/envelope.ts';
import type { Answer } from '#lib/flow/engine/answer.ts';
import type { Snapshot } from '#lib/flow/engine/snapshot.ts';
import { plainOf, withAnswers } from './encrypted-run.ts';
import { givenAnswer } from './pause.ts';
import { readEvents } from './run-items.ts';
import { readSnapshot } from './snapshot-items.ts';
import type { StoredRun } from './stored-run.ts';

interface Standing {
  readonly snapshot?: Snapshot;
  /** What was answered since. */
  readonly answer?: Answer | undefined;
}

/** Nothing for a run that has not begun, or that died before its first snapshot. */
export async function whereItStands(run: StoredRun): Promise<Standing> {
  if (run.generation === 0) return {};
  const kept = await readSnapshot(run.run_id);
  if (!kept) return {};
  const snapshot = JSON.parse(await open(kept.sealed, contextOf(run))) as Snapshot;
  const since = await readEvents(run.run_id, kept.generation);
  const [answered] = await withAnswers(run, since.filter((event) => event.answer !== undefined).slice(-1));
  if (answered?.answer === undefined) return { snapshot };
  return { snapshot, answer: givenAnswer.parse(JSON.parse(plainOf(answered.answer))) };
}

export const snapshotSealer = (run: StoredRun) => createSealer(contextOf(run));

const contextOf = (run: StoredRun): EncryptionContext => ({
  tenant: requireEnv('TENANT_ID'),
  orgid: run.orgid,
  workspaceid: run.workspaceid,
  runid: run.run_id,
  purpose: 'snapshot',
});
