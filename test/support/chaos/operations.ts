// What the lanes of a history do to the rows of a flow, and what they may then rely on. Runs in the test and
// in processes that get killed.
import * as z from 'zod';
import type { Caller } from '#lib/access/caller.ts';
import { isTransientFailure } from '#lib/aws.ts';
import { ServiceError } from '#lib/errors.ts';
import { create } from '#lib/registry/create.ts';
import { deleteRow } from '#lib/registry/delete.ts';
import { promote } from '#lib/registry/promote.ts';
import { rollback } from '#lib/registry/rollback.ts';
import { update } from '#lib/registry/update.ts';

export const ours = { create, promote, rollback, remove: deleteRow, update };
/** The rules under test; a mutant is ours with one of them replaced. */
export type Rules = typeof ours;

const kind = z.enum(['promote', 'rollback', 'delete', 'update']);
export const operation = z.object({
  kind,
  id: z.string(),
  orgid: z.string(),
  by: z.string(),
  at: z.string(),
});
export type Operation = z.infer<typeof operation>;

/** A change that was confirmed to a caller: the history of the row must always have it. */
export const acknowledgement = z.object({
  id: z.string(),
  action: z.string().optional(),
  to: z.string().optional(),
  by: z.string().optional(),
  version: z.number().optional(),
});
export type Acknowledgement = z.infer<typeof acknowledgement>;

const card = {
  name: 'Echo',
  description: 'Says it.',
  skills: [{ id: 'echo', name: 'Echo', description: 'Repeats.' }],
};
const flow = { version: 1, name: 'Echo', start: 'done', nodes: { done: { type: 'end', output: {} } } };

export const newCaller = (orgid: string, id: string): Caller => ({
  id,
  orgid,
  workspaces: '*',
  scopes: new Set(),
});

export async function register(rules: Rules, caller: Caller, workspaceid: string, flowid: string) {
  const body = { flowid, agent_card: card, flow };
  return await rules.create(caller, { body, workspaceid, egress: [], at: new Date().toISOString() });
}

async function perform(rules: Rules, { kind, id, orgid, by, at }: Operation): Promise<Acknowledgement> {
  const caller = newCaller(orgid, by);
  if (kind === 'delete') {
    await rules.remove(caller, id, { at });
    return { id, action: 'deleted', by };
  }
  if (kind === 'update') {
    // Each changes what the row is found by, and every other one its flow: postings and chunks must be there
    // whoever wins.
    const tags = [`colour-${by.charCodeAt(by.length - 1) % 5}`];
    const body = { agent_card: { ...card, tags }, ...(by.charCodeAt(by.length - 1) % 2 === 0 && { flow }) };
    const { version } = await rules.update(caller, id, { body, egress: undefined, at });
    return { id, action: 'updated', by, version };
  }
  const { row } =
    kind === 'promote' ? await rules.promote(caller, id, { at }) : await rules.rollback(caller, id, { at });
  return { id: row.a2aregistryid, to: 'live', version: row.version };
}

/** Undefined when it was refused, or when nobody knows whether it happened. */
export const attempt = async (rules: Rules, given: Operation): Promise<Acknowledgement | undefined> =>
  await unlessRefused(() => perform(rules, given));

export async function unlessRefused<T>(act: () => Promise<T>): Promise<T | undefined> {
  try {
    return await act();
  } catch (error) {
    if (isTransientFailure(error) || (error instanceof ServiceError && refusals.has(error.code)))
      return undefined;
    throw error;
  }
}

/** What may come of it when others change the same rows. */
const refusals = new Set([
  'row_not_found',
  'version_conflict',
  'promotion_conflict',
  'row_not_live',
  'no_former_build',
]);
