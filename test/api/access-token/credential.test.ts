// Attacks on access tokens (RFC 8725, RFC 9068): whatever is wrong with a token, the answer is the same 401.
import { createHmac, createPublicKey, generateKeyPairSync, sign } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { grantItemKey } from '#lib/access/grant-items.ts';
import { memberItemKey } from '#lib/access/member-items.ts';
import { deriveUserId } from '#lib/access/principal.ts';
import { publicKey, signJwsInput } from '#lib/access/signer.ts';
import { controlTable } from '#lib/dynamo/client.ts';
import { mustExist } from '#lib/dynamo/conditions.ts';
import { deleteItemIf } from '#lib/dynamo/items.ts';
import { newCaller } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';
import { postMessage } from '#test/support/connector.ts';
import { newPerson, type Person } from '#test/support/person.ts';
import { serviceUrl } from '#test/support/service-url.ts';
import { type Claims, newClaims, newGrant, newToken, signClaims } from '#test/support/tokens.ts';

let person: Person;
let colleague: Person;
beforeAll(async () => {
  person = await newPerson();
  colleague = await newPerson({ orgid: person.orgid });
});

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const ask = async (token: string, headers: Readonly<Record<string, string>> = {}) =>
  await call('getMe', { headers: { ...bearer(token), ...headers } });

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const seconds = (offset = 0): number => Math.floor(Date.now() / 1_000) + offset;
const foreign = generateKeyPairSync('ec', { namedCurve: 'P-256' });

/** Good but for these claims; undefined takes one away. */
const signedByUs = async (some: Claims, typ?: string): Promise<string> =>
  await signClaims({ ...(await newClaims(person)), ...some }, typ);

async function signedByForeignKey(header: object): Promise<string> {
  const { kid } = await publicKey();
  const signed = `${encode({ alg: 'ES256', typ: 'at+jwt', kid, ...header })}.${encode(await newClaims(person))}`;
  const signature = sign('sha256', Buffer.from(signed), {
    key: foreign.privateKey,
    dsaEncoding: 'ieee-p1363',
  });
  return `${signed}.${signature.toString('base64url')}`;
}

async function hmac(secret: string | Buffer): Promise<string> {
  const { kid } = await publicKey();
  const signed = `${encode({ alg: 'HS256', typ: 'at+jwt', kid })}.${encode(await newClaims(person))}`;
  return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`;
}

/** Signed by us, over exactly these texts. */
async function signedText(more: string, claims: string): Promise<string> {
  const { kid } = await publicKey();
  const header = `{"alg":"ES256","typ":"at+jwt","kid":"${kid}"${more}}`;
  const parts = [header, claims].map((part) => Buffer.from(part).toString('base64url'));
  return `${parts.join('.')}.${await signJwsInput(parts.join('.'))}`;
}

async function altered(part: 0 | 1 | 2, change: (text: string) => string): Promise<string> {
  const parts = (await newToken(person)).split('.');
  parts[part] = change(parts[part] ?? '');
  return parts.join('.');
}
const replaced = (some: Claims) => (text: string) =>
  encode({ ...JSON.parse(Buffer.from(text, 'base64url').toString()), ...some });
const ourPem = async () =>
  createPublicKey({ key: { ...(await publicKey()) }, format: 'jwk' }).export({ type: 'spki', format: 'pem' });

const attacks: Readonly<Record<string, () => Promise<string>>> = {
  'an expiry that has passed': () => signedByUs({ exp: seconds(-60) }),
  'no expiry': () => signedByUs({ exp: undefined }),
  'an expiry that is a text': () => signedByUs({ exp: String(seconds(600)) }),
  'a start in the future': () => signedByUs({ nbf: seconds(600) }),
  'an issue date in the future': () => signedByUs({ iat: seconds(600) }),
  'an issue date long ago, and no end in sight': () =>
    signedByUs({ iat: seconds(-86_400), exp: seconds(9e6) }),
  'no issue date': () => signedByUs({ iat: undefined }),
  'the audience of the connector': () => signedByUs({ aud: `${serviceUrl()}/api/v1/ai/mcp` }),
  'the audience of API keys': () => signedByUs({ aud: 'urn:agent-flow:api' }),
  'an audience with a slash at its end': () => signedByUs({ aud: `${serviceUrl()}/` }),
  'the audience of another service': () => signedByUs({ aud: 'https://api.example' }),
  'several audiences': () => signedByUs({ aud: [serviceUrl(), `${serviceUrl()}/api/v1/ai/mcp`] }),
  'no audience': () => signedByUs({ aud: undefined }),
  'the typ of an API key': () => signedByUs({}, 'api-key+jwt'),
  'the typ JWT, which ID tokens have': () => signedByUs({}, 'JWT'),
  'a media type as typ': () => signedByUs({}, 'application/at+jwt'),
  'no typ': async () => await altered(0, replaced({ typ: undefined })),
  'the issuer of API keys': () => signedByUs({ iss: 'urn:agent-flow:tenant:local' }),
  'another issuer': () => signedByUs({ iss: 'https://issuer.example' }),
  'an issuer with a slash at its end': () => signedByUs({ iss: `${serviceUrl()}/` }),
  'no issuer': () => signedByUs({ iss: undefined }),
  'no subject': () => signedByUs({ sub: undefined }),
  'an API key as its subject': async () => signedByUs({ sub: (await newCaller()).id }),
  'another user as its subject': async () => signedByUs({ sub: colleague.id }),
  'a user who never signed in': () => signedByUs({ sub: deriveUserId('https://issuer.example', 'nobody') }),
  'another organisation': async () => signedByUs({ org: (await newPerson()).orgid }),
  'another organisation of the same user': async () =>
    signedByUs({ org: (await newPerson({ email: person.email })).orgid }),
  'an organisation that is a pattern': () => signedByUs({ org: '*' }),
  'no organisation': () => signedByUs({ org: undefined }),
  'no scope': () => signedByUs({ scope: undefined }),
  'no client': () => signedByUs({ client_id: undefined }),
  'no id': () => signedByUs({ jti: undefined }),
  'no grant': () => signedByUs({ grant: undefined }),
  'a grant that does not exist': () => signedByUs({ grant: 'A'.repeat(43) }),
  'a grant that is another item': () => signedByUs({ grant: '../KEY#key_1/META#####' }),
  'the grant of a colleague': async () => signedByUs({ grant: (await newGrant(colleague)).grantid }),
  'a grant that has ended, while its item is still there': async () =>
    signedByUs({ grant: (await newGrant(person, { expires_at: new Date().toISOString() })).grantid }),
  'a grant from before the membership': async () =>
    signedByUs({ grant: (await newGrant(person, { created_at: '2020-01-01T00:00:00.000Z' })).grantid }),
  'a grant that was deleted': async () => {
    const { grantid } = await newGrant(person);
    await deleteItemIf(controlTable, grantItemKey(grantid), mustExist);
    return await signedByUs({ grant: grantid });
  },
  'a user who was removed': async () => {
    const former = await newPerson({ orgid: person.orgid });
    const token = await newToken(former);
    await deleteItemIf(controlTable, memberItemKey({ userid: former.id, orgid: former.orgid }), mustExist);
    return token;
  },
  'an altered scope': () => altered(1, replaced({ scope: 'audit:read' })),
  'an altered expiry': () => altered(1, replaced({ exp: seconds(3_000) })),
  'an altered signature': () => altered(2, (text) => Buffer.alloc(64, text.length).toString('base64url')),
  'an empty signature': () => altered(2, () => ''),
  'alg none': async () => `${encode({ alg: 'none', typ: 'at+jwt' })}.${encode(await newClaims(person))}.`,
  'HS256 with the public key (PEM) as the secret': async () => hmac(await ourPem()),
  'HS256 with the public key (JWK) as the secret': async () => hmac(JSON.stringify(await publicKey())),
  "another tenant's key under our kid": () => signedByForeignKey({}),
  "another tenant's key under its own kid": () => signedByForeignKey({ kid: 'another-tenant' }),
  "another tenant's key in the header (jwk)": () =>
    signedByForeignKey({ jwk: foreign.publicKey.export({ format: 'jwk' }) }),
  'a header parameter that nobody knows': async () =>
    signedText(',"x":1', JSON.stringify(await newClaims(person))),
  'a claim that stands twice': async () =>
    signedText('', JSON.stringify(await newClaims(person)).replace(/\}$/, ',"org":"org_other"}')),
};

describe('200', () => {
  test('a token is its user, limited to its scopes', async () => {
    const token = await newToken(person, { scopes: ['assistants.flows:read', 'agents:call'] });
    const { body } = await ask(token);
    expect(body).toMatchObject({
      kind: 'user',
      id: person.id,
      orgid: person.orgid,
      permissions: ['assistants.flows:read'],
      workspaces: '*',
    });
    expect(Date.parse(body.expires_at ?? '')).toBeGreaterThan(Date.now() + 80_000_000);
  });

  test('a token is taken from X-API-Key too, and from both headers', async () => {
    const token = await newToken(person);
    expect((await call('getMe', { key: token })).body.id).toBe(person.id);
    expect((await ask(token, { 'x-api-key': token })).body.id).toBe(person.id);
  });

  test('a token beside the session of its user is limited to the token', async () => {
    const token = await newToken(person, { scopes: ['audit:read'] });
    expect((await ask(token, person.page)).body.permissions).toEqual(['audit:read']);
  });

  test('a client does not learn of the other organisations of its user', async () => {
    const elsewhere = await newPerson({ email: colleague.email });
    const { body } = await ask(await newToken(colleague));
    expect(body.organizations?.map(({ orgid }) => orgid)).toEqual([colleague.orgid]);
    expect((await ask(await newToken(elsewhere))).body.orgid).toBe(elsewhere.orgid);
  });
});

describe('401', () => {
  test.each(Object.entries(attacks))('a token with %s', async (_what, make) => {
    const token = await make();
    const { problem } = await ask(token);
    expect(problem).toMatchObject({ code: 'unauthenticated', status: 401 });
    expect(problem.detail).toBe((await ask('nonsense')).problem.detail);
    // The same in the other header, and where credentials are optional.
    expect((await call('getMe', { key: token })).problem.code).toBe('unauthenticated');
    expect((await call('getRootCard', { headers: bearer(token) })).problem.code).toBe('unauthenticated');
  });

  test('a token for the API at the connector, and an API key with the claims of a token', async () => {
    expect((await postMessage('{}', { headers: bearer(await newToken(person)) })).status).toBe(401);
    const keyClaims = await newClaims(person, { resource: 'connector' });
    const headers = bearer(await signClaims(keyClaims, 'api-key+jwt'));
    expect((await postMessage('{}', { headers })).status).toBe(401);
  });

  test('a token with the claims of an API key', async () => {
    const claims = {
      iss: 'urn:agent-flow:tenant:local',
      aud: 'urn:agent-flow:api',
      sub: 'key_1',
      org: person.orgid,
      ws: '*',
      scope: '',
      reg: false,
    };
    const token = await signClaims({ ...claims, iat: seconds(), exp: seconds(600) });
    expect((await ask(token)).problem.code).toBe('unauthenticated');
  });

  test('a token beside a credential of somebody else', async () => {
    const token = await newToken(person);
    const { key } = await newCaller({ orgid: person.orgid });
    const elsewhere = await newPerson({ email: person.email });
    for (const headers of [
      { 'x-api-key': key },
      { 'x-api-key': await newToken(person) },
      { 'x-api-key': await newToken(colleague) },
      colleague.page,
      elsewhere.page,
    ])
      expect((await ask(token, headers)).problem.code).toBe('unauthenticated');
  });
});
