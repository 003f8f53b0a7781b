// What an edit of the text of a flow needs to know of JSON and of YAML, and the indentation that both have. Pure.
import type { Json } from '#lib/json/json.ts';

/** The characters of a text from `from` to `to` become `insert`. */
export interface TextEdit {
  readonly from: number;
  readonly to: number;
  readonly insert: string;
}

/** Names of members, from the root. */
export type MemberPath = readonly string[];

export interface TextFormat {
  readonly name: 'JSON' | 'YAML';
  /** The value, or undefined for text that is none. */
  readonly read: (text: string) => Json | undefined;
  readonly write: (value: Json) => string;
  /** The text of a value on its own: as it is, but not indented. */
  readonly sourceOf: (text: string, path: MemberPath) => string | undefined;
  /**
   * Edits that give a member this text as its value, the best one first. The object that has the member exists. They
   * need not be right for each layout; the caller reads the text again.
   */
  readonly place: (text: string, path: MemberPath, source: string) => readonly TextEdit[];
  readonly remove: (text: string, path: MemberPath) => readonly TextEdit[];
}

/** The indentation of the line that a position is in. */
export const indentAt = (text: string, at: number): string =>
  /^[ \t]*/.exec(text.slice(text.lastIndexOf('\n', at - 1) + 1, at))?.[0] ?? '';

/** Lines after the first get this indentation. */
export const indentRest = (source: string, indent: string, newline: string): string =>
  source
    .split(/\r?\n/)
    .map((line, n) => (n === 0 || line === '' ? line : indent + line))
    .join(newline);

/** Lines after the first lose this indentation, as far as they have it. */
export const outdentRest = (source: string, indent: string): string =>
  source
    .split(/\r?\n/)
    .map((line, n) => (n > 0 && line.startsWith(indent) ? line.slice(indent.length) : line))
    .join('\n');

export const newlineOf = (text: string): string => (text.includes('\r\n') ? '\r\n' : '\n');
