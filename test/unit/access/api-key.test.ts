// How keys are issued, and when this process may remember that it has seen one. Attacks are in
// test/api/api-key/credential.test.ts.
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { type ApiKeyRequest, forgetApiKey, issueApiKey, verifyApiKey } from '#lib/access/api-key.ts';
import { authenticate } from '#lib/access/credential.ts';
import { publishedKeys } from '#lib/access/signer.ts';
import { type LocalKms, signingKeyId, startLocalKms } from '#test/support/local-kms.ts';
import { startOneItemTable } from '#test/support/table.ts';

let kms: LocalKms;
let table: Awaited<ReturnType<typeof startOneItemTable>>;
beforeAll(async () => {
  kms = await startLocalKms();
  table = await startOneItemTable();
});
afterAll(() => table.close());
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
  test('identifies its caller', async () => {
    expect(await verifyApiKey(await issueApiKey(request()))).toEqual({
      id: 'key_1',
      orgid: 'org_a',
      workspaces: new Set(['ws_a', 'ws_b']),
      scopes: new Set(['assistants.flows:read']),
      expiresAt: expect.any(Number),
    });
    expect((await verifyApiKey(await issueApiKey(request({ workspaces: '*' })))).workspaces).toBe('*');
  });

  test('is valid for one tenant, and only for the API', async () => {
    const claims = decodeJwt(await issueApiKey(request()));
    expect(claims).toMatchObject({ iss: 'urn:agent-flow:tenant:unit', aud: 'urn:agent-flow:api' });
    expect((claims.exp ?? 0) - (claims.iat ?? 0)).toBe(60);
  });

  test('is valid for one year at most', async () => {
    await expect(issueApiKey(request({ lifetimeSeconds: 366 * 86_400 }))).rejects.toThrow('a year');
  });

  test('is not cached beyond its expiry', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    // Expired for the 4 seconds that clocks may differ: still taken, but not to be kept.
    const key = await issueApiKey(request({ issuedAt: now() - 34, lifetimeSeconds: 30 }));
    expect((await verifyApiKey(key)).id).toBe('key_1');
    vi.setSystemTime(Date.now() + 10_000);
    await expect(verifyApiKey(key)).rejects.toMatchObject({ code: 'unauthenticated' });
  });
});

describe('a revoked key', () => {
  const id = 'key_2';
  const recently = () => new Date(Date.now() - 60_000).toISOString();
  const inForce = () => ({ last_used_at: { S: recently() } });
  const revoked = () => ({ revoked_at: { S: recently() } });
  const refused = async (token: string) =>
    await expect(verifyApiKey(token)).rejects.toMatchObject({ code: 'unauthenticated', detail: undefined });

  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['Date'] });
    table.item = inForce();
    table.calls.length = 0;
  });

  test('is refused within a minute by a process that has just accepted it', async () => {
    const key = await issueApiKey(request({ id, isRegistered: true, lifetimeSeconds: 600 }));
    await verifyApiKey(key);
    table.item = revoked();
    vi.setSystemTime(Date.now() + 40_000);
    expect((await verifyApiKey(key)).id).toBe(id);
    vi.setSystemTime(Date.now() + 6_000);
    await refused(key);
    expect(table.calls).toEqual(['GetItem', 'GetItem']);
  });

  test('costs at most one read per minute, however often it is sent', async () => {
    table.item = revoked();
    const key = await issueApiKey(request({ id, isRegistered: true, lifetimeSeconds: 601 }));
    for (let n = 0; n < 5; n += 1) await refused(key);
    expect(table.calls).toEqual(['GetItem']);
  });

  test('stays refused when its item is deleted', async () => {
    table.item = undefined;
    await refused(await issueApiKey(request({ id, isRegistered: true, lifetimeSeconds: 602 })));
  });

  test('is refused also if it was issued offline, which is valid without an item', async () => {
    table.item = undefined;
    const key = await issueApiKey(request({ id, lifetimeSeconds: 603 }));
    expect((await verifyApiKey(key)).id).toBe(id);
    table.item = revoked();
    vi.setSystemTime(Date.now() + 60_000);
    await refused(key);
  });

  test('is read again at once by the process that revoked it', async () => {
    const key = await issueApiKey(request({ id, isRegistered: true, lifetimeSeconds: 604 }));
    await verifyApiKey(key);
    table.item = revoked();
    forgetApiKey(id);
    await refused(key);
  });
});

describe('the use of a key', () => {
  const key = async (lifetimeSeconds: number) =>
    await issueApiKey(request({ id: 'key_3', isRegistered: true, lifetimeSeconds }));
  beforeEach(() => {
    table.calls.length = 0;
  });

  test.each([
    ['was never noted', undefined, ['GetItem', 'UpdateItem']],
    ['was noted two hours ago', 7_200_000, ['GetItem', 'UpdateItem']],
    ['was noted a minute ago', 60_000, ['GetItem']],
  ])('that %s costs %j', async (what, ago, calls) => {
    table.item =
      ago === undefined
        ? { label: { S: 'x' } }
        : { last_used_at: { S: new Date(Date.now() - ago).toISOString() } };
    await verifyApiKey(await key(700 + what.length));
    expect(table.calls).toEqual(calls);
  });
});

describe('two signing keys', () => {
  const second = '9c8f3d2e-66bb-4c1f-9a64-7b2dae5f8033';
  afterEach(() => {
    process.env.SIGNING_KEY_ID = signingKeyId;
    delete process.env.SIGNING_KEY_ID_OTHER;
  });

  test('are both published and accepted, and the first one signs', async () => {
    kms.createKey(second);
    const old = await issueApiKey(request({ lifetimeSeconds: 800 }));
    process.env.SIGNING_KEY_ID = second;
    process.env.SIGNING_KEY_ID_OTHER = signingKeyId;
    const young = await issueApiKey(request({ lifetimeSeconds: 801 }));
    const kids = (await publishedKeys()).map(({ kid }) => kid);
    expect([young, old].map((token) => decodeProtectedHeader(token).kid)).toEqual(kids);
    for (const token of [old, young]) expect((await verifyApiKey(token)).id).toBe('key_1');
  });

  test('refuse a key that neither has signed', async () => {
    process.env.SIGNING_KEY_ID = second;
    const token = await issueApiKey(request({ lifetimeSeconds: 802 }));
    process.env.SIGNING_KEY_ID = signingKeyId;
    await expect(verifyApiKey(token)).rejects.toMatchObject({ code: 'unauthenticated' });
  });
});

describe('credentials of a request', () => {
  const kinds = ['apiKey', 'bearer'] as const;

  test('are not needed if none are accepted or if they are optional', async () => {
    expect(await authenticate([], { 'x-api-key': ['nonsense'] })).toBeUndefined();
    expect(await authenticate(kinds, {}, { isOptional: true })).toBeUndefined();
    await expect(authenticate(kinds, {})).rejects.toMatchObject({ code: 'unauthenticated' });
  });

  test('are refused if they are invalid, even if they are optional', async () => {
    await expect(authenticate(kinds, { 'x-api-key': ['bad'] }, { isOptional: true })).rejects.toMatchObject({
      code: 'unauthenticated',
    });
  });

  test.each(['x-api-key', 'authorization'])('a key is read from %s', async (header) => {
    const key = await issueApiKey(request());
    const value = header === 'authorization' ? `Bearer ${key}` : key;
    expect((await authenticate(kinds, { [header]: [value] }))?.id).toBe('key_1');
  });

  test('are ignored if the route does not accept their kind', async () => {
    const key = await issueApiKey(request());
    await expect(authenticate(['bearer'], { 'x-api-key': [key] })).rejects.toMatchObject({
      code: 'unauthenticated',
    });
  });

  test('are refused if one of two is invalid', async () => {
    const key = await issueApiKey(request());
    await expect(
      authenticate(kinds, { 'x-api-key': ['bad'], authorization: [`Bearer ${key}`] }),
    ).rejects.toMatchObject({ code: 'unauthenticated' });
    await expect(
      authenticate(kinds, { 'x-api-key': [''], authorization: [`Bearer ${key}`] }),
    ).rejects.toMatchObject({ code: 'unauthenticated' });
  });
});
