// The examples of docs/jsonata.md have the results that the page states.
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { isCallable } from '#lib/flow/expression/built-ins.ts';
import { NodeError } from '#lib/flow/format/node-error.ts';
import { evaluate } from './scripted.ts';

const page = readFileSync(new URL('../../../docs/jsonata.md', import.meta.url), 'utf8');
const readBlocks = (language: string) =>
  [...page.matchAll(new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``, 'g'))].map(([, text = '']) => text);

const state = JSON.parse(readBlocks('json')[0] ?? '');
/** Each line with an arrow is the result of the line before it. */
const examples = readBlocks('jsonata').flatMap((block) =>
  [...block.matchAll(/^(.+)\n→ (.+)$/gm)].map(([, source = '', result = '']) => [source, result] as const),
);
const inTable = [...page.matchAll(/\| `([^`|]+)` is `([^`|]+)` \|$/gm)].map(
  ([, source = '', result = '']) => [source, result] as const,
);

async function check(source: string, result: string): Promise<void> {
  const value = await evaluate(`{{ ${source} }}`, { state }).catch((error: unknown) => error);
  if (result === 'error') expect(value).toBeInstanceOf(NodeError);
  else expect(value).toEqual(JSON.parse(result));
}

test('the page has about fifty examples, all of which are read', () => {
  expect(examples.length).toBe(page.match(/^→ /gm)?.length);
  expect(examples.length).toBeGreaterThanOrEqual(50);
});

describe('an example', () => {
  test.each(examples)('%s → %s', check);
});

describe('the table of functions', () => {
  test.each(inTable)('%s is %s', check);

  test('has an example in each row, of a function that exists', () => {
    const rows = [...page.matchAll(/^\| `\$(\w+)\(/gm)].map(([, name = '']) => name);
    expect(rows.length).toBe(inTable.length);
    expect(rows.filter((name) => !isCallable(name))).toEqual([]);
  });
});
