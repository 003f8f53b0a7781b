import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { html, isolated, linkTo } from '#lib/page/html.ts';

describe('a template', () => {
  test('escapes every value, in content and in attributes', () => {
    const value = `<b title="x">'&\``;
    const escaped = '&lt;b title=&quot;x&quot;&gt;&#39;&amp;&#96;';
    expect(html`<p title="${value}">${value}</p>`.markup).toBe(`<p title="${escaped}">${escaped}</p>`);
  });

  test('keeps what another template has made, also in lists', () => {
    const items = ['a<', 'b'].map((text) => html`<li>${text}</li>`);
    expect(html`<ul>${items}</ul>`.markup).toBe('<ul><li>a&lt;</li><li>b</li></ul>');
  });

  test('escapes an object from outside that looks as if a template had made it', () => {
    const forged = JSON.parse('{"markup":"<script>alert(1)</script>"}');
    expect(html`<p>${forged}</p>`.markup).not.toContain('<script>');
    expect(html`<p>${[forged]}</p>`.markup).not.toContain('<script>');
    expect(html`<p>${{ ...html`<i></i>` }}</p>`.markup).not.toContain('<i>');
  });

  test('writes numbers, and nothing for what is absent or false', () => {
    expect(html`${0} ${undefined}${false}${[]}.`.markup).toBe('0 .');
  });

  test('is never left by a value, whatever it contains', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const { markup } = html`<p title="${text}">${text}</p>`;
        expect(markup.match(/[<>"]/g)).toEqual(['<', '"', '"', '>', '<', '>']);
      }),
    );
  });
});

test('a text of somebody else does not change the order of the words around it', () => {
  expect(isolated('\u202eabc<').markup).toBe('<bdi>\u202eabc&lt;</bdi>');
});

describe('a link', () => {
  test.each([
    ['https://accounts.example/authorize?a=b&c=d', 'https://accounts.example/authorize?a=b&c=d'],
    ['http://localhost:3000/x', 'http://localhost:3000/x'],
    ['https://example.com/"><script>', 'https://example.com/%22%3E%3Cscript%3E'],
  ])('to %s leads to %s', (url, href) => {
    expect(linkTo(url)).toBe(href);
  });

  test.each(['javascript:alert(1)', 'JavaScript:alert(1)', ' data:text/html,x', 'vbscript:x', '/path', ''])(
    'to %j is refused',
    (url) => {
      expect(() => linkTo(url)).toThrow('A link must be an http or https URL.');
    },
  );
});
