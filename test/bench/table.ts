// Formats rows as a table for the terminal, or in Markdown for the README.
import { compareWithPeer, type Figure, judge, type Row, tolerance } from './row.ts';

const head = ['', 'unit', 'ours', 'peer', 'plain', 'peer ÷ ours', 'promised', ''];

export function textTable(rows: readonly Row[]): string {
  const lines = [head, ...rows.map((row) => [...cells(row), judge(row)])];
  const widths = head.map((_, column) => Math.max(...lines.map((line) => (line[column] ?? '').length)));
  const aligned = lines.map((line) =>
    line
      .map((cell, column) =>
        isText(column) ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join('  ')
      .trimEnd(),
  );
  return [...aligned, '', `Median (lowest–highest). Missed means by more than ${tolerance * 100} %.`].join(
    '\n',
  );
}

export function markdownTable(rows: readonly Row[]): string {
  const shown = head.slice(0, -1);
  const rule = shown.map((_, column) => (isText(column) ? '---' : '---:'));
  return [shown, rule, ...rows.map(cells)].map((line) => `| ${line.join(' | ')} |`).join('\n');
}

const isText = (column: number) => column < 2 || column === head.length - 1;

function cells(row: Row): string[] {
  const ratio = compareWithPeer(row);
  return [
    row.what,
    row.unit,
    shownFigure(row.ours),
    row.peer ? shownFigure(row.peer) : '',
    row.limit ? shownFigure(row.limit) : '',
    ratio === undefined ? '' : `${shownNumber(ratio)}×`,
    promise(row),
  ];
}

function promise({ budget, ratioMin }: Row): string {
  const parts = [budget !== undefined && `≤ ${budget}`, ratioMin !== undefined && `≥ ${ratioMin}×`];
  return parts.filter((part) => part !== false).join(', ');
}

function shownFigure({ median, min, max }: Figure): string {
  if (min === max) return shownNumber(median);
  return `${shownNumber(median)} (${shownNumber(min)}–${shownNumber(max)})`;
}

/** Few digits, since more would not be exact on a shared machine. */
const shownNumber = (value: number) =>
  value >= 100 ? value.toFixed(0) : value.toPrecision(value >= 10 ? 3 : 2);
