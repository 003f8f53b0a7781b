// How keys are issued, and when this process may remember that it has seen one. Attacks are in test/api/access/api-key.test.ts.
import { decodeJwt } from 'jose';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { type ApiKeyRequest, issueApiKey, verifyApiKey } from '#lib/access/api-key.ts';
import { authenticate } from '#lib/access/credential.ts';
import { type LocalKms, startLocalKms } from '#test/support/local-kms.ts';

let kms: LocalKms;
beforeAll(async () => {
  kms = await startLocalKms();
});
afterAll(async () => await kms.close());
afterEach(() => void vi.useRealTimers());

const now = () => Math.floor(Date.now() / 1000);
const request = (some: Partial<ApiKeyRequest> = {}): ApiKeyRequest => ({
  id: 'key_1',
  orgid: 'org_a',
  workspaces: ['ws_a', 'ws_b'],
  scopes: ['assistants.flows:read'],
  issuedAt: now(),
  lifetimeSeconds: 60,
  ...some,
});

describe('a key', () => {
  test('says who its caller is', async () => {
    expect(await verifyApiKey(await issueApiKey(request()))).toEqual({
      id: 'key_1',
      orgid: 'org_a',
      workspaces: new Set(['ws_a', 'ws_b']),
      scopes: new Set(['assistants.flows:read']),
    });
    expect((await verifyApiKey(await issueApiKey(request({ workspaces: '*' })))).workspaces).toBe('*');
  });

  test('is for one tenant and for the API alone', async () => {
    const claims = decodeJwt(await issueApiKey(request()));
    expect(claims).toMatchObject({ iss: 'urn:agent-flow:tenant:unit', aud: 'urn:agent-flow:api' });
    expect((claims.exp ?? 0) - (claims.iat ?? 0)).toBe(60);
  });

  test('lives a year at most', async () => {
    await expect(issueApiKey(request({ lifetimeSeconds: 366 * 86_400 }))).rejects.toThrow('a year');
  });

  test('is not remembered beyond its expiry', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    // Expired for the 4 seconds that clocks may differ: still taken, but not to be kept.
    const key = await issueApiKey(request({ issuedAt: now() - 34, lifetimeSeconds: 30 }));
    expect((await verifyApiKey(key)).id).toBe('key_1');
    vi.setSystemTime(Date.now() + 10_000);
    // Real time passes with a call of KMS, since the memory of keys has its own clock.
    await issueApiKey(request());
    await expect(verifyApiKey(key)).rejects.toMatchObject({ code: 'unauthenticated' });
  });
});

describe('credentials of a request', () => {
  const kinds = ['apiKey', 'bearer'] as const;

  test('none are needed where none are accepted or where they are optional', async () => {
    expect(await authenticate([], { 'x-api-key': 'nonsense' })).toBeUndefined();
    expect(await authenticate(kinds, {}, true)).toBeUndefined();
    await expect(authenticate(kinds, {})).rejects.toMatchObject({ code: 'unauthenticated' });
  });

  test('bad ones are refused where they are optional', async () => {
    await expect(authenticate(kinds, { 'x-api-key': 'bad' }, true)).rejects.toMatchObject({
      code: 'unauthenticated',
    });
  });

  test.each(['x-api-key', 'authorization'])('a key is taken from %s', async (header) => {
    const key = await issueApiKey(request());
    const value = header === 'authorization' ? `Bearer ${key}` : key;
    expect((await authenticate(kinds, { [header]: value }))?.id).toBe('key_1');
  });

  test('a kind that the route does not accept does not count', async () => {
    const key = await issueApiKey(request());
    await expect(authenticate(['bearer'], { 'x-api-key': key })).rejects.toMatchObject({
      code: 'unauthenticated',
    });
  });

  test('the first kind that is there decides', async () => {
    const key = await issueApiKey(request());
    await expect(
      authenticate(kinds, { 'x-api-key': 'bad', authorization: `Bearer ${key}` }),
    ).rejects.toMatchObject({ code: 'unauthenticated' });
    await expect(
      authenticate(kinds, { 'x-api-key': '', authorization: `Bearer ${key}` }),
    ).rejects.toMatchObject({ code: 'unauthenticated' });
  });
});
