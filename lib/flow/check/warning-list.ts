// The warnings about expressions that the check of a flow has found so far: the first ones, each in a bounded text.
import { pointerTo } from '#lib/json/pointer.ts';
import { boundedMistake } from '#lib/mistakes.ts';
import type { Path, Warning } from './mistake.ts';

/** The number of warnings that are returned with an accepted flow. */
export const warningsMax = 100;

export interface WarningList {
  readonly listed: Warning[];
  /** The text with the last warning, and what has been listed for it: a repeated part is reported once. */
  last: { readonly path: Path; readonly subjects: Set<string> } | undefined;
}

export const newWarningList = (): WarningList => ({ listed: [], last: undefined });

export const isFullOfWarnings = ({ listed }: WarningList): boolean => listed.length >= warningsMax;

interface About {
  readonly code: Warning['code'];
  readonly path: Path;
  /** The part of the text, such as the name of a variable. */
  readonly subject: string;
}

/** `describe` is called only for a warning that is listed. */
export function addWarning(list: WarningList, { code, path, subject }: About, describe: () => string): void {
  if (isFullOfWarnings(list)) return;
  if (list.last?.path !== path) list.last = { path, subjects: new Set() };
  const key = `${code} ${subject}`;
  if (list.last.subjects.has(key)) return;
  list.last.subjects.add(key);
  const pointer = pointerTo(path.map(shorten));
  list.listed.push(boundedMistake({ pointer, code, detail: describe() }));
}

/** A pointer is truncated to fewer characters, so that the rest of a name of 2 MB need not be escaped. */
const shorten = (part: PropertyKey): PropertyKey => (typeof part === 'string' ? part.slice(0, 2_000) : part);
