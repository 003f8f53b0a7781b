// The tables of docs/data-model.md against the kinds of lib/inventory: each kind is documented with its keys, and each
// documented item is a kind.
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { identify, kinds } from '#lib/inventory/identify.ts';
import type { ItemKind, TableName } from '#lib/inventory/kind.ts';

interface DocumentedItem {
  readonly line: string;
  readonly item: string;
  readonly pks: readonly string[];
  readonly sks: readonly string[];
}

const page = readFileSync(new URL('../../../docs/data-model.md', import.meta.url), 'utf8');
const headings: Readonly<Record<TableName, string>> = { control: 'Control table', runs: 'Runs table' };

/** The rows of the first table below the heading of a table. */
function documented(table: TableName): DocumentedItem[] {
  const [, section = ''] = page.split(`\n## ${headings[table]}\n`);
  const [first = ''] = section.trim().split('\n\n');
  const [, , ...rows] = first.split('\n');
  return rows.map((line) => {
    const [, item = '', pk = '', sk = ''] = line.split(/(?<!\\)\|/).map((cell) => cell.trim());
    return { line, item, pks: codeIn(pk), sks: codeIn(sk) };
  });
}

const codeIn = (cell: string): string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);

/** The kind by whose name the item begins. */
const kindOf = (table: TableName, { item }: DocumentedItem): ItemKind | undefined =>
  kinds[table]
    .filter(({ name }) => item.startsWith(name) && !/^\w/.test(item.slice(name.length)))
    .toSorted((one, other) => other.name.length - one.name.length)[0];

/** What stands for a placeholder; any other is an id. */
const samples: Readonly<Record<string, string>> = {
  version: '00000001',
  generation: '0000000001',
  n: '0',
  order: '9876',
  KIND: 'TAG',
  environment: 'live',
};
const toKey = (pattern: string): string =>
  pattern.replaceAll(/\{([^}]+)\}/g, (_, name: string) => samples[name] ?? 'x1');

/** The words in capitals that keys of the kind have, such as PAYLOAD. */
const wordsOf = ({ pk, sk }: ItemKind): string[] => `${pk.source} ${sk.source}`.match(/[A-Z]+/g) ?? [];

describe.each(['control', 'runs'] as const)('the %s table', (table) => {
  const items = documented(table);

  test('has only items of a kind, by the name of which they begin', () => {
    const unknown = items.filter((item) => !kindOf(table, item)).map(({ line }) => line);
    expect(unknown, `docs/data-model.md has items that lib/inventory/${table}-kinds.ts lacks`).toEqual([]);
  });

  test.each(items.map((item) => [item.item.slice(0, 60), item] as const))(
    '%s has keys of its kind',
    (_, item) => {
      expect(item.pks.length * item.sks.length, `no keys in ${item.line}`).toBeGreaterThan(0);
      for (const pk of item.pks)
        for (const sk of item.sks) {
          const found = identify(table, { pk: toKey(pk), sk: toKey(sk) })?.kind.name;
          expect(found, `${pk} / ${sk} is a key of another kind, or of none`).toBe(kindOf(table, item)?.name);
        }
    },
  );

  test.each(kinds[table].map((kind) => [kind.name, kind] as const))(
    '%s is documented with its keys',
    (_, kind) => {
      const lines = items.filter((item) => kindOf(table, item) === kind).map(({ line }) => line);
      expect(lines.length, `add it to "${headings[table]}" of docs/data-model.md`).toBeGreaterThan(0);
      const missing = wordsOf(kind).filter((word) => !new RegExp(`\\b${word}\\b`).test(lines.join('\n')));
      expect(missing, `words of its keys that docs/data-model.md lacks`).toEqual([]);
    },
  );
});
