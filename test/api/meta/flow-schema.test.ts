import { describe, expect, test } from 'vitest';
import { call } from '#test/support/client.ts';
import schema from '../../../docs/flow-v1.schema.json' with { type: 'json' };

describe('200', () => {
  test('the schema of the repository is served to everybody, and may be kept', async () => {
    const { body, headers } = await call('getFlowSchema');
    expect(body).toEqual(schema);
    expect(headers.get('cache-control')).toContain('public');
  });
});

describe('304', () => {
  test('who has it already is told so', async () => {
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
