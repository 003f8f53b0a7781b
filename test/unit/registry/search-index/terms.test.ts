import { describe, expect, test } from 'vitest';
import { extractTerms } from '#lib/registry/search-index/terms.ts';

describe('the same terms come from', () => {
  test.each([
    [['translate', 'translates', 'translation', 'translating', 'translator', 'TRANSLATED']],
    [['invoice', 'invoices', 'Invoicing']],
    [['summarize', 'summarise', 'summarization', 'summary', 'summaries']],
    [['company', 'companies']],
    [['ship', 'shipping', 'shipped', 'ships']],
    [['cancel', 'cancelled', 'canceling']],
    [['policy', 'policies']],
    [['Café', 'cafe', 'CAFE\u0301']],
    [['orderStatus', 'order_status', 'order-status', 'Order Status', 'order.status']],
    [['ﬁle', 'file']],
  ])('%j', (words) => {
    const [first, ...others] = words.map(extractTerms);
    expect(first?.length).toBeGreaterThan(0);
    for (const other of others) expect(other).toEqual(first);
  });
});

test.each([
  ['bus', 'business'],
  ['analysis', 'analog'],
  ['process', 'procure'],
  ['status', 'state'],
])('%s and %s have different terms', (one, other) => {
  expect(extractTerms(one)).not.toEqual(extractTerms(other));
});

test('words of languages without spaces are separated', () => {
  expect(extractTerms('请翻译这个文档')).toContain('翻译');
  expect(extractTerms('翻译')).toEqual(['翻译']);
});

test('stop words, punctuation and single letters are left out', () => {
  expect(extractTerms('What is the … a & b?! — "it"')).toEqual([]);
  expect(extractTerms('')).toEqual([]);
});

test('a term is at most 40 characters long', () => {
  expect(extractTerms('x'.repeat(500))).toEqual(['x'.repeat(40)]);
});
