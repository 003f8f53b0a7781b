// Attacks on API keys (RFC 8725): whatever is wrong with a token, the answer is the same 401, and tells
// nothing.
import { createHmac, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { describe, expect, test } from 'vitest';
import { publicKey, signJws, signJwsInput } from '#lib/access/signer.ts';
import { newRegistryId } from '#lib/ids.ts';
import { newCaller } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';

type Claims = Readonly<Record<string, unknown>>;

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const seconds = (offset = 0): number => Math.floor(Date.now() / 1000) + offset;
const own = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });

/** The claims of a key that is fine, with some replaced; undefined takes one away. */
async function claims(some: Claims = {}): Promise<Claims> {
  return { ...decodeJwt((await newCaller()).key), ...some };
}

/** Signed by the service's own key, so that only the claims or the header can be the reason for a refusal. */
async function signedByUs(some: Claims, typ = 'api-key+jwt'): Promise<string> {
  const jws = await signJws({ typ }, JSON.stringify(await claims(some)));
  return `${jws.protected}.${jws.payload}.${jws.signature}`;
}

async function signedBy(key: KeyObject, header: object, payload?: Claims): Promise<string> {
  const { kid } = await publicKey();
  const signed = `${encode({ alg: 'ES256', typ: 'api-key+jwt', kid, ...header })}.${encode(payload ?? (await claims()))}`;
  return `${signed}.${sign('sha256', Buffer.from(signed), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`;
}

/** Signed by the service's own key, over exactly these texts. */
async function signedText(header: string, payload: string): Promise<string> {
  const { kid } = await publicKey();
  const parts = [header.replace('KID', kid), payload].map((part) => Buffer.from(part).toString('base64url'));
  return `${parts.join('.')}.${await signJwsInput(parts.join('.'))}`;
}

/** A member more at the end of the JSON of good claims, which none of ours would write. */
const claimsWith = async (more: string): Promise<string> =>
  JSON.stringify(await claims()).replace(/\}$/, `,${more}}`);

const goodHeader = '{"alg":"ES256","kid":"KID","typ":"api-key+jwt"}';
const headerWith = (more: string) => goodHeader.replace(/\}$/, `,${more}}`);

async function hmac(secret: string | Buffer): Promise<string> {
  const signed = `${encode({ alg: 'HS256', typ: 'api-key+jwt' })}.${encode(await claims())}`;
  return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`;
}

const ourKey = async () => createPublicKey({ key: { ...(await publicKey()) }, format: 'jwk' });

async function changed(part: 0 | 1 | 2, change: (text: string) => string): Promise<string> {
  const parts = (await newCaller()).key.split('.');
  parts[part] = change(parts[part] ?? '');
  return parts.join('.');
}

const replaced = (some: Claims) => (text: string) =>
  encode({ ...JSON.parse(Buffer.from(text, 'base64url').toString()), ...some });

const attacks: Readonly<Record<string, () => Promise<string>>> = {
  'no token at all': async () => 'x',
  'an empty signature': () => changed(2, () => ''),
  'a signature of zeros': () => changed(2, () => Buffer.alloc(64).toString('base64url')),
  'a signature in DER form': () =>
    changed(2, (text) =>
      Buffer.concat([Buffer.from([0x30, 0x44]), Buffer.from(text, 'base64url')]).toString('base64url'),
    ),
  'a changed organisation': () => changed(1, replaced({ org: 'org_other' })),
  'a changed expiry': () => changed(1, replaced({ exp: seconds(9e6) })),
  'alg none': () => changed(0, () => encode({ alg: 'none', typ: 'api-key+jwt' })),
  'alg None without a signature': async () =>
    `${encode({ alg: 'None', typ: 'api-key+jwt' })}.${encode(await claims())}.`,
  'HS256 with the public key (PEM) as the secret': async () =>
    hmac((await ourKey()).export({ type: 'spki', format: 'pem' })),
  'HS256 with the public key (JWK) as the secret': async () => hmac(JSON.stringify(await publicKey())),
  'HS256 with no secret': () => hmac(''),
  "an attacker's key under our kid": () => signedBy(own.privateKey, {}),
  "an attacker's key in the header (jwk)": () =>
    signedBy(own.privateKey, { jwk: own.publicKey.export({ format: 'jwk' }) }),
  "an attacker's key set (jku)": () =>
    signedBy(own.privateKey, { jku: 'https://evil.example.com/jwks.json' }),
  "an attacker's certificate (x5u)": () =>
    signedBy(own.privateKey, { x5u: 'https://evil.example.com/cert.pem' }),
  'a kid that is a path': () => signedBy(own.privateKey, { kid: '../../../../dev/null' }),
  'RS256 with another key': () => signedBy(rsa.privateKey, { alg: 'RS256' }),
  'a critical header that nobody knows': () => signedBy(own.privateKey, { crit: ['exp2'], exp2: 1 }),
  'no typ of ours': () => signedByUs({}, 'JWT'),
  'the typ of a signed card': () => signedByUs({}, 'JOSE'),
  'the issuer of another tenant': () => signedByUs({ iss: 'urn:agent-flow:tenant:other' }),
  'another audience': () => signedByUs({ aud: 'urn:agent-flow:connector' }),
  'an expiry that has passed': () => signedByUs({ exp: seconds(-60) }),
  'no expiry': () => signedByUs({ exp: undefined }),
  'a start in the future': () => signedByUs({ nbf: seconds(600) }),
  'no organisation': () => signedByUs({ org: undefined }),
  'an organisation that is a pattern': () => signedByUs({ org: '*' }),
  'an organisation that reaches into another key': () => signedByUs({ org: 'org_a#ws_b' }),
  'no workspaces': () => signedByUs({ ws: [] }),
  'workspaces of the wrong type': () => signedByUs({ ws: { includes: true } }),
  'no scope': () => signedByUs({ scope: undefined }),
  'no subject': () => signedByUs({ sub: undefined }),
  'an organisation that stands twice': async () =>
    signedText(goodHeader, await claimsWith('"org":"org_other"')),
  'an expiry that stands twice, with the same value': async () => {
    const text = JSON.stringify(await claims());
    return await signedText(goodHeader, text.replace(/\}$/, `,${/"exp":\d+/.exec(text)?.[0]}}`));
  },
  'a claim that stands twice, once escaped': async () =>
    signedText(goodHeader, await claimsWith('"s\\u0063ope":"assistants.flows:read"')),
  'a member of a claim that stands twice': async () =>
    signedText(goodHeader, await claimsWith('"act":{"sub":"a","sub":"b"}')),
  'a header parameter that stands twice': async () =>
    signedText(headerWith('"alg":"ES256"'), JSON.stringify(await claims())),
  'a header that says the payload is compressed': async () =>
    signedText(headerWith('"zip":"DEF"'), JSON.stringify(await claims())),
  'a header parameter that nobody knows': async () =>
    signedText(headerWith('"x":1'), JSON.stringify(await claims())),
  'a type of content': async () => signedText(headerWith('"cty":"JWT"'), JSON.stringify(await claims())),
};

const get = async (headers: Readonly<Record<string, string>>) =>
  await call('getRegistryRow', { params: { a2aregistryid: newRegistryId() }, headers });

const wanted =
  'Send a valid API key in X-API-Key or Authorization: Bearer: complete, not expired or revoked, and issued by this service. Or send an access token for this URL in the same way, or the cookie of a session that has not ended.';

describe('401', () => {
  test.each(Object.entries(attacks))(
    '%s is refused with the error of any invalid key',
    async (_what, forge) => {
      const token = await forge();
      for (const headers of [{ 'x-api-key': token }, { authorization: `Bearer ${token}` }]) {
        const { problem } = await get(headers);
        expect(problem).toEqual({
          type: 'urn:agent-flow:error:unauthenticated',
          title: 'Valid credentials are required',
          status: 401,
          detail: wanted,
          instance: expect.any(String),
          code: 'unauthenticated',
        });
      }
    },
  );

  test('a request without credentials gets the same error, which lists the accepted credentials', async () => {
    expect((await get({})).problem.detail).toBe(wanted);
  });

  test('a webhook accepts only a bearer token', async () => {
    const { key } = await newCaller();
    const { problem } = await call('acceptWebhook', {
      params: { flow_id: 'some' },
      body: { event: 'e' },
      headers: { 'x-api-key': key },
    });
    expect(problem.code).toBe('unauthenticated');
    expect(problem.detail).toMatch(/^Send a valid API key in Authorization: Bearer: /);
  });

  test('an invalid key is refused although a valid one is in another header', async () => {
    const { key } = await newCaller();
    expect((await get({ 'x-api-key': 'bad', authorization: `Bearer ${key}` })).status).toBe(401);
  });

  test.each(['Basic YTpi', 'Bearer', 'Bearer a b', 'bearer: x'])(
    '"Authorization: %s" is not a bearer token',
    async (authorization) => {
      expect((await get({ authorization })).problem.code).toBe('unauthenticated');
    },
  );
});

describe('404, which shows that the key was accepted', () => {
  test('the claims that the attacks modify are accepted', async () => {
    const token = await signedByUs({});
    expect(decodeProtectedHeader(token).typ).toBe('api-key+jwt');
    const text = await signedText(goodHeader, JSON.stringify(await claims()));
    expect((await get({ 'x-api-key': text })).status).toBe(404);
    expect((await get({ 'x-api-key': token })).status).toBe(404);
    expect((await get({ authorization: `bearer ${token}` })).status).toBe(404);
  });

  test('unknown scopes are ignored', async () => {
    expect(
      (await get({ 'x-api-key': await signedByUs({ scope: 'assistants.flows:read what:ever' }) })).status,
    ).toBe(404);
    expect((await get({ 'x-api-key': await signedByUs({ scope: 'assistants.flows:* admin' }) })).status).toBe(
      403,
    );
  });
});
