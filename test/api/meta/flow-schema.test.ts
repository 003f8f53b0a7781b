import { describe, expect, test } from 'vitest';
import { call } from '#test/support/client.ts';
import schema from '../../../docs/flow-v1.schema.json' with { type: 'json' };

describe('200', () => {
  test('the schema of the repository is served to every caller, and may be cached', async () => {
    const { body, headers } = await call('getFlowSchema');
    expect(body).toEqual(schema);
    expect(headers.get('cache-control')).toContain('public');
  });
});

describe('304', () => {
  test('a client that has the current schema gets no body', async () => {
    const { headers } = await call('getFlowSchema');
    const again = await call('getFlowSchema', { headers: { 'if-none-match': headers.get('etag') ?? '' } });
    expect(again.status).toBe(304);
  });
});

describe('400', () => {
  test('an unknown query parameter is refused', async () => {
    const { problem } = await call('getFlowSchema', { query: { version: '2' } });
    expect(problem.code).toBe('validation_failed');
  });
});
