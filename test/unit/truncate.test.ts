// Texts that the engine truncates, and results of expressions, are valid Unicode for any text.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { preview, shortened } from '#lib/flow/engine/log-preview.ts';
import { toJsonValue } from '#lib/flow/expression/clean.ts';
import { NodeError } from '#lib/flow/format/node-error.ts';
import { extractTerms } from '#lib/registry/search-index/terms.ts';
import { truncateToBytes } from '#lib/truncate.ts';

const pairs = fc.string({ unit: fc.constantFrom('\u{1f600}', '\u{10428}', 'a', '"', 'ä') });
/** Any UTF-16, including halves of surrogate pairs. */
const halves = fc.string({ unit: fc.constantFrom('\ud83d', '\ude00', 'a') });

test('truncated texts end with whole characters', () => {
  fc.assert(
    fc.property(pairs, fc.integer({ min: 4, max: 40 }), (text, max) => {
      for (const cut of [
        truncateToBytes(text, max),
        shortened(text, max),
        preview(text, max),
        preview({ a: [text], [text]: 1 }, max),
      ])
        expect(cut.isWellFormed() && !/\\ud[89a-f]/.test(cut), cut).toBe(true);
    }),
  );
});

test('errors of nodes, results of expressions and search terms of cards are valid Unicode', () => {
  fc.assert(
    fc.property(halves, (text) => {
      expect(new NodeError('x.y', text).message.isWellFormed()).toBe(true);
      expect(JSON.stringify(toJsonValue({ [text]: [text] }))).not.toMatch(/\\ud[89a-f]/);
    }),
  );
  for (const term of extractTerms(`a${'\u{10428}'.repeat(60)} ${'\u{10428}'.repeat(60)}`))
    expect(term.isWellFormed()).toBe(true);
});
