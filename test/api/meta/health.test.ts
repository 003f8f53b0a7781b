import { describe, expect, test } from 'vitest';
import { call } from '#test/support/client.ts';

describe('200', () => {
  test('the service says that it is well, to everyone', async () => {
    const { body, headers } = await call('getHealth');
    expect(body).toEqual({ status: 'ok' });
    expect(headers.get('cache-control')).toBe('no-store');
  });

  test('credentials that nobody asked for are not looked at', async () => {
    expect(
      (await call('getHealth', { headers: { 'x-api-key': 'nonsense', authorization: 'Bearer nonsense' } }))
        .status,
    ).toBe(200);
  });
});
