// What commands print: results to stdout, everything else to stderr. Text from flows and from the service is made safe
// for terminals.
import { styleText } from 'node:util';
import type { Json } from '#lib/json/json.ts';
import { plainText } from './plain-text.ts';

export const printJson = (value: unknown): void => console.log(JSON.stringify(value, undefined, 2));

export const printLine = (text: string): void => console.log(plainText(text));

let hasNotes = true;

/** With --json, stderr has only the error, so that a program can read it. */
export function leaveOutNotes(): void {
  hasNotes = false;
}

/** Such as what a command does meanwhile. */
export function note(text: string): void {
  if (hasNotes) console.error(styleText('dim', plainText(text), { stream: process.stderr }));
}

export type Cell = Json | undefined;

interface TableLayout {
  /** The index of the first column with numbers, which are aligned to the right, as are those after it. */
  readonly numbersFrom?: number;
}

/** Rows in columns as wide as their widest cell, below a line with their names. */
export function printTable(
  head: readonly string[],
  rows: readonly (readonly Cell[])[],
  { numbersFrom = Number.POSITIVE_INFINITY }: TableLayout = {},
): void {
  const texts = [head, ...rows].map((row) => row.map(cellText));
  const widths = head.map((_name, index) => Math.max(...texts.map((row) => row[index]?.length ?? 0)));
  for (const [index, row] of texts.entries()) {
    const line = row
      .map((cell, at) => (at < numbersFrom ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0)))
      .join('  ')
      .trimEnd();
    console.log(index === 0 ? styleText('dim', line) : line);
  }
}

const cellText = (cell: Cell): string =>
  cell === undefined || cell === null
    ? '-'
    : plainText(typeof cell === 'string' ? cell : JSON.stringify(cell)).replaceAll(/\s+/g, ' ');
