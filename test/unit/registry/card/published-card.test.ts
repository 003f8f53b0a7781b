import { describe, expect, test } from 'vitest';
import { hostedUrl, readCard } from '#lib/registry/card/published-card.ts';
import { storedRow } from '#test/support/stored-rows.ts';

const row = storedRow({ orgid: 'org', workspaceid: 'ws', flowid: 'flow', gateway_url: 'https://a.example' });
/** As rows were stored when hosted URLs had no slash at the end: the card with an empty URL. */
const older = { ...row, card: row.card.replaceAll('"url":"/', '"url":"') };
const readUrl = (some: typeof row) => readCard(some, 'live').supportedInterfaces.map(({ url }) => url)[0];

describe('the URL of a card', () => {
  test('is the hosted URL', () => {
    expect(readUrl(row)).toBe('https://a.example/api/v1/ai/a2a/flow/');
    expect(hostedUrl(row, 'live')).toBe('https://a.example/api/v1/ai/a2a/flow/');
  });

  test('of a row that was signed without the slash stays as it was signed', () => {
    expect(older.card).not.toBe(row.card);
    expect(readUrl(older)).toBe('https://a.example/api/v1/ai/a2a/flow');
    expect(hostedUrl(older, 'live')).toBe(hostedUrl(row, 'live'));
  });
});
