// Drafts: texts of flows that are not registered yet. The browser keeps one for each person, workspace and flow.
import * as z from 'zod';
import { tryParse } from '#lib/json/try-parse.ts';

const draftSchema = z.object({
  text: z.string(),
  /** The build from which it began, as it was; absent for a new agent. */
  from: z.object({ id: z.string(), number: z.number(), version: z.number() }).optional(),
});
export type Draft = z.infer<typeof draftSchema>;

export interface DraftOwner {
  readonly orgid: string;
  readonly person: string;
  readonly workspaceid: string;
  /** Undefined for a new agent. */
  readonly flowid: string | undefined;
}

/** The parts are escaped, so that no two owners have the same key. */
const keyOf = ({ orgid, person, workspaceid, flowid = '' }: DraftOwner): string =>
  `agent-flow-draft ${[orgid, person, workspaceid, flowid].map(encodeURIComponent).join(' ')}`;

export function readDraft(owner: DraftOwner): Draft | undefined {
  const stored = localStorage.getItem(keyOf(owner));
  return stored === null ? undefined : draftSchema.safeParse(tryParse(stored)).data;
}

/** False if the browser keeps nothing, or no more. */
export function keepDraft(owner: DraftOwner, draft: Draft): boolean {
  try {
    localStorage.setItem(keyOf(owner), JSON.stringify(draft));
    return true;
  } catch {
    return false;
  }
}

export const dropDraft = (owner: DraftOwner): void => localStorage.removeItem(keyOf(owner));
