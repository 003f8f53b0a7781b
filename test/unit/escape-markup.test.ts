import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { escapeMarkup } from '#lib/escape-markup.ts';
import { elementsIn, readXml } from '#test/support/xml.ts';

describe('a text in markup', () => {
  test.each([
    ['<script>', '&lt;script&gt;'],
    ['a & b', 'a &amp; b'],
    ['&amp;', '&amp;amp;'],
    [`"double" and 'single'`, '&quot;double&quot; and &#39;single&#39;'],
    ['a `b`', 'a &#96;b&#96;'],
    ['line\nline\ttab\r', 'line\nline\ttab\r'],
    ['é 漢 👩‍👩‍👧', 'é 漢 👩‍👩‍👧'],
  ])('%j is written as %j', (text, markup) => {
    expect(escapeMarkup(text)).toBe(markup);
  });

  test.each([
    ['NUL', '\0'],
    ['a control character', '\u001b'],
    ['a control character of C1', '\u0085'],
    ['DEL', '\u007f'],
    ['a noncharacter', '\uffff'],
    ['half of a surrogate pair', '\ud83d'],
  ])('has U+FFFD instead of %s, which no document may contain', (_, text) => {
    expect(escapeMarkup(`a${text}b`)).toBe('a\ufffdb');
  });

  test('is read back as it was, by a parser, as content and as attribute, whatever it contains', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const escaped = escapeMarkup(text);
        expect(escaped).not.toMatch(/[<>"'`]/);
        const [element] = elementsIn(readXml(`<p id="${escaped}">${escaped}</p>`));
        const allowed = text.toWellFormed().replace(/[^\P{Cc}\t\n\r]|[\ufffe\uffff]/gu, '\ufffd');
        expect(element).toMatchObject({ text: allowed, attributes: { id: allowed } });
      }),
    );
  });
});
