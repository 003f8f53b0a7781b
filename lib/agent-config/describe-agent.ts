// What a page says about whom it speaks for: the agent by its card, and the principal whose run waits.
import * as z from 'zod';
import { readKey } from '#lib/api-key/key-items.ts';
import { readRow } from '#lib/registry/row/row-items.ts';
import type { StoredRun } from '#lib/run/stored-run.ts';

export interface DescribedAgent {
  readonly name: string;
  readonly orgid: string;
  readonly workspaceid: string;
}

const namedCard = z.object({ name: z.string() });

/** The card as it was registered, which the service signs. A build that was deleted is named by its flow. */
export async function describeAgent(run: StoredRun): Promise<DescribedAgent> {
  const row = await readRow(run.a2aregistryid);
  const name = row ? namedCard.parse(JSON.parse(row.card)).name : run.flowid;
  return { name, orgid: run.orgid, workspaceid: run.workspaceid };
}

export interface DescribedPrincipal {
  readonly id: string;
  /** None for a key that was issued offline. */
  readonly label: string | undefined;
  readonly orgid: string;
}

export const describePrincipal = async ({
  caller_id: id,
  caller_orgid: orgid,
}: StoredRun): Promise<DescribedPrincipal> => ({ id, label: (await readKey(id))?.label, orgid });
