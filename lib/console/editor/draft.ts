// Drafts: texts of flows that are not registered yet. The browser keeps one for each person, workspace and flow.
import { isObject } from '#lib/flow/format/json-value.ts';
import { tryParse } from '#lib/json/try-parse.ts';

export interface Draft {
  readonly text: string;
  /** The build from which it began, as it was; absent for a new agent. */
  readonly from?: { readonly id: string; readonly number: number; readonly version: number };
}

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

export const readDraft = (owner: DraftOwner): Draft | undefined => parse(localStorage.getItem(keyOf(owner)));

/** By hand, as a schema library would be a part of the page (5 KiB) that nothing else there needs. */
function parse(stored: string | null): Draft | undefined {
  const draft = tryParse(stored ?? '');
  if (!isObject(draft) || typeof draft.text !== 'string') return undefined;
  const { text, from } = draft;
  if (!isObject(from)) return { text };
  const { id, number, version } = from;
  if (typeof id !== 'string' || typeof number !== 'number' || typeof version !== 'number') return undefined;
  return { text, from: { id, number, version } };
}

/** Tells of what other windows of the browser keep, and of a draft that they drop. Returns how to stop. */
export function watchDraft(owner: DraftOwner, onChange: (draft: Draft | undefined) => void): () => void {
  const listen = ({ key, newValue }: StorageEvent) => {
    if (key === keyOf(owner)) onChange(parse(newValue));
  };
  addEventListener('storage', listen);
  return () => removeEventListener('storage', listen);
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
