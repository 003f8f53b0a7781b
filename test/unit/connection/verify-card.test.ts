// `verify: require`: the Agent Card of an agent is signed by a key of the card's own origin. The cards and keys
// are on real servers, the agent behind them is that of the official SDK.
import { AgentCard, generateAgentCardSignature } from '@a2a-js/sdk';
import { exportJWK, FlattenedSign, generateKeyPair, type JWK, type JWSHeaderParameters } from 'jose';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createAgentPort } from '#lib/a2a-client/port.ts';
import { createGuardedFetch } from '#lib/egress/guarded-fetch.ts';
import { canonicalCard } from '#test/support/cards.ts';
import { type ServerProcess, startServer } from '#test/support/server-process.ts';
import { call, connectWith } from './connections.ts';
import { type Loopback, loopback, noNames } from './loopback.ts';

type PrivateKey = Awaited<ReturnType<typeof generateKeyPair>>['privateKey'];

interface Signer {
  readonly privateKey: PrivateKey;
  readonly jwk: JWK;
}
interface Header extends JWSHeaderParameters {
  readonly alg: string;
}

let agent: ServerProcess;
let host: Loopback;
let elsewhere: Loopback;
let signer: Signer;
/** What both hosts serve, by path. */
const served = new Map<string, unknown>();

async function newSigner(kid: string, alg = 'ES256'): Promise<Signer> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  return { privateKey, jwk: { ...(await exportJWK(publicKey)), kid } };
}

const serve = () =>
  loopback((request, response) => {
    const found = served.get(request.url ?? '');
    if (typeof found === 'string') response.writeHead(302, { location: found }).end();
    else response.writeHead(found === undefined ? 404 : 200).end(JSON.stringify(found ?? {}));
  });

beforeAll(async () => {
  agent = await startServer('a2a');
  host = await serve();
  elsewhere = await serve();
});
beforeEach(async () => {
  signer = await newSigner(crypto.randomUUID());
});
afterAll(async () => {
  await agent.stop();
  await host[Symbol.asyncDispose]();
  await elsewhere[Symbol.asyncDispose]();
});

const schemes = {
  securitySchemes: { key: { apiKeySecurityScheme: { location: 'header', name: 'X-API-Key' } } },
  securityRequirements: [{ schemes: { key: {} } }],
};
const cardWith = (some: object = {}) => ({
  name: 'Signed agent',
  description: '',
  version: '1.0.0',
  supportedInterfaces: [{ url: `${agent.url}/agent`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
  capabilities: { streaming: false },
  defaultInputModes: ['text/plain'],
  defaultOutputModes: ['text/plain'],
  skills: [],
  ...some,
});

/** The keys are at a URL of their own, since the client remembers them by URL. */
function publish(...keys: readonly JWK[]): string {
  const path = `/keys/${crypto.randomUUID()}`;
  served.set(path, { keys });
  return `${host.url}${path}`;
}

const headerOf = (jku = publish(signer.jwk), alg = 'ES256'): Header => ({
  alg,
  kid: String(signer.jwk.kid),
  jku,
});

async function sign(card: object, header: Header = headerOf(), text = canonicalCard(card)) {
  const jws = await new FlattenedSign(Buffer.from(text)).setProtectedHeader(header).sign(signer.privateKey);
  return { ...card, signatures: [{ protected: jws.protected, signature: jws.signature }] };
}

/** Sends a message to the agent whose card that is. */
async function callWith(card: unknown, some: { isCardVerified?: boolean; egress?: string[] } = {}) {
  const path = `/${crypto.randomUUID()}/card.json`;
  served.set(path, card);
  const hosts = [host.host, elsewhere.host, agent.host];
  const fetch = createGuardedFetch({ allowPrivate: hosts }, noNames);
  const port = createAgentPort({ getFetch: connectWith({ fetch }), addresses: ['https://gateway.example'] });
  const { text } = await port(
    {
      agent: `${host.url}${path}`,
      text: 'hello',
      egress: hosts,
      key: 'k',
      metadata: {},
      isCardVerified: true,
      ...some,
    },
    call,
  );
  return text;
}

const unverified = (why: string) => ({ code: 'a2a.unverified', message: expect.stringContaining(why) });

describe('an agent is called if its card is signed', () => {
  test.each([
    ['in the form of A2A §8.4.1', schemes],
    ['in that form, with members that have their default', { skills: [], iconUrl: '' }],
  ])('%s', async (_what, some) => {
    expect(await callWith(await sign(cardWith(some)))).toBe('Hello.');
  });

  test('in that form, though it is served with defaults that the form leaves out', async () => {
    const signed = await sign(cardWith());
    const withDefaults = { ...signed, securitySchemes: {}, securityRequirements: [] };
    expect(await callWith(withDefaults)).toBe('Hello.');
  });

  test('as it is served, by a signer that removes no defaults', async () => {
    const card = cardWith({ securityRequirements: [] });
    const sorted = JSON.stringify(Object.fromEntries(Object.entries(card).sort()));
    const deep = sorted.replace(
      /"url":("[^"]+"),"protocolBinding":("[^"]+"),"protocolVersion":("[^"]+")/,
      '"protocolBinding":$2,"protocolVersion":$3,"url":$1',
    );
    expect(await callWith(await sign(card, headerOf(), deep))).toBe('Hello.');
  });

  test.each([
    ['a card', {}],
    ['a card with security schemes', schemes],
  ])('by the JavaScript SDK: %s', async (_what, some) => {
    const signWithSdk = generateAgentCardSignature(signer.privateKey, { ...headerOf(), typ: 'JOSE' });
    const { signatures } = await signWithSdk(AgentCard.fromJSON(cardWith(some)));
    expect(await callWith({ ...cardWith(some), signatures })).toBe('Hello.');
  });

  test.each(['ES384', 'EdDSA', 'PS256', 'RS256'])('with %s', async (alg) => {
    signer = await newSigner('k', alg);
    expect(await callWith(await sign(cardWith(), headerOf(undefined, alg)))).toBe('Hello.');
  });

  test('also after other signatures, and after a change of keys', async () => {
    const jku = publish(signer.jwk);
    const before = await sign(cardWith(), headerOf(jku));
    expect(await callWith(before)).toBe('Hello.');
    const [mine] = before.signatures;
    const others = [
      { protected: '{}', signature: 'x' },
      { protected: mine?.protected, signature: 'AAAA' },
    ];
    expect(await callWith({ ...cardWith(), signatures: [...others, mine] })).toBe('Hello.');
  });
});

describe('an agent is not called if its card', () => {
  test('is not signed', async () => {
    await expect(callWith(cardWith())).rejects.toMatchObject(unverified('is not signed'));
    await expect(callWith({ ...cardWith(), signatures: 'x' })).rejects.toMatchObject(
      unverified('not signed'),
    );
  });

  test('is larger than 256 KB', async () => {
    const before = host.requests.length;
    const card = await sign(cardWith({ description: 'x'.repeat(256 * 1024) }));
    await expect(callWith(card)).rejects.toMatchObject(unverified('larger than 262144 characters'));
    expect(host.requests.slice(before)).toHaveLength(1);
  });

  test('is signed by a key of another origin, or one whose address the signature does not name', async () => {
    const jku = publish(signer.jwk).replace(host.host, elsewhere.host);
    const foreign = callWith(await sign(cardWith(), headerOf(jku)));
    await expect(foreign).rejects.toMatchObject(unverified(`a URL of ${host.url}`));
    const { alg, kid = '' } = headerOf();
    const nowhere = callWith(await sign(cardWith(), { alg, kid }));
    await expect(nowhere).rejects.toMatchObject(unverified(`a URL of ${host.url}`));
    expect(elsewhere.requests).toHaveLength(0);
  });

  test('is signed by a key to which its origin only redirects', async () => {
    const jku = publish(signer.jwk);
    const { pathname } = new URL(jku);
    served.set('/redirect', `${elsewhere.url}${pathname}`);
    const card = await sign(cardWith(), headerOf(`${host.url}/redirect`));
    await expect(callWith(card)).rejects.toMatchObject({ code: 'egress.redirects' });
    expect(elsewhere.requests).toHaveLength(0);
  });

  test.each([
    [
      'interfaces',
      {
        supportedInterfaces: [
          { url: 'https://evil.example/', protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
        ],
      },
    ],
    ['name', { name: 'Another' }],
    ['security requirements', { securityRequirements: [] }],
  ])('was signed with other %s', async (_what, changed) => {
    const signed = await sign(cardWith(schemes));
    await expect(callWith({ ...signed, ...changed })).rejects.toMatchObject(
      unverified('no signature that is valid'),
    );
  });

  test('is signed by another key, by no key of the set, or with a symmetric algorithm', async () => {
    const other = await newSigner(String(signer.jwk.kid));
    for (const jku of [publish(other.jwk), publish()])
      await expect(callWith(await sign(cardWith(), headerOf(jku)))).rejects.toMatchObject(
        unverified('no signature that is valid'),
      );
    const secret = Buffer.from(JSON.stringify(signer.jwk));
    const header = { ...headerOf(), alg: 'HS256' };
    const jws = await new FlattenedSign(Buffer.from(canonicalCard(cardWith())))
      .setProtectedHeader(header)
      .sign(secret);
    const signatures = [{ protected: jws.protected, signature: jws.signature }];
    await expect(callWith({ ...cardWith(), signatures })).rejects.toMatchObject(unverified('no signature'));
  });

  test('names keys that cannot be read, which are not remembered', async () => {
    const jku = publish(signer.jwk);
    const { pathname } = new URL(jku);
    const card = await sign(cardWith(), headerOf(jku));
    for (const broken of [undefined, { keys: 'x' }, { keys: [], more: 'x'.repeat(70_000) }]) {
      served.set(pathname, broken);
      await expect(callWith(card)).rejects.toMatchObject({
        code: expect.stringMatching(/^(a2a\.unverified|egress\.too_large)$/),
      });
    }
    served.set(pathname, { keys: [signer.jwk] });
    expect(await callWith(card)).toBe('Hello.');
  });
});

test('members that the signature does not cover have no effect', async () => {
  const signWithSdk = generateAgentCardSignature(signer.privateKey, { ...headerOf(), typ: 'JOSE' });
  const { signatures } = await signWithSdk(AgentCard.fromJSON(cardWith()));
  const legacy = { protocolVersion: '0.3.0', url: 'https://evil.example/', preferredTransport: 'JSONRPC' };
  expect(await callWith({ ...legacy, ...cardWith(), signatures })).toBe('Hello.');
});

test('without `verify` signatures are not read', async () => {
  const { requests } = host;
  const card = { ...(await sign(cardWith())), name: 'Another' };
  const before = requests.length;
  expect(await callWith(card, { isCardVerified: false })).toBe('Hello.');
  expect(requests.slice(before).map(({ url }) => url)).toEqual([expect.stringContaining('/card.json')]);
});

test('the keys of an origin are read once, without the credential of the agent', async () => {
  const jku = publish(signer.jwk);
  const { pathname } = new URL(jku);
  const card = await sign(cardWith(), headerOf(jku));
  await Promise.all([await callWith(card), await callWith(card)]);
  expect(host.requests.filter(({ url }) => url === pathname)).toHaveLength(1);
});
