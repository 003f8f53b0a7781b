import { describe, expect, test } from 'vitest';
import { call } from '#test/support/client.ts';

describe('200', () => {
  test('the service reports its health to every caller', async () => {
    const { body, headers } = await call('getHealth');
    expect(body).toEqual({ status: 'ok' });
    expect(headers.get('cache-control')).toBe('no-store');
  });

  test('credentials are ignored, because none are required', async () => {
    expect(
      (await call('getHealth', { headers: { 'x-api-key': 'nonsense', authorization: 'Bearer nonsense' } }))
        .status,
    ).toBe(200);
  });
});
