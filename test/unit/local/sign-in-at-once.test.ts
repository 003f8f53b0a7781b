// Who is signed in locally without a click: whoever opens the console, and nobody whom another site sends there.
import { createHash } from 'node:crypto';
import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { signedInAtOnce } from '#lib/local/at-once.ts';
import { type IdentityProvider, startIdentityProvider } from '#lib/local/identity-provider.ts';
import { type HttpListener, startHttpListener } from '#lib/local/listen.ts';

type Headers = Readonly<Record<string, string>>;

/** As browsers send them; `fetch` would send its own. */
const navigation = (site: string): Headers => ({
  'sec-fetch-site': site,
  'sec-fetch-mode': 'navigate',
  'sec-fetch-dest': 'document',
});

interface Received {
  readonly status: number | undefined;
  readonly location: string | undefined;
  readonly cookies: readonly string[];
  readonly text: string;
}

const get = (url: string, headers: Headers, method = 'GET') =>
  new Promise<Received>((resolve, reject) => {
    const sent = request(url, { headers, method }, async (response) => {
      const text = (await response.toArray()).join('');
      const { location, 'set-cookie': cookies = [] } = response.headers;
      resolve({ status: response.statusCode, location, cookies, text });
    });
    sent.on('error', reject).end();
  });

describe('the console', () => {
  let listener: HttpListener;
  beforeAll(async () => {
    listener = await startHttpListener(0);
    listener.open(signedInAtOnce((_request, response) => response.writeHead(200).end()));
  });
  afterAll(() => listener.close());

  test.each([
    ['opened by hand', '/console', navigation('none'), true],
    ['a page of it, with filters', '/console/runs?status=failed', navigation('none'), true],
    ['opened from a page of this machine', '/console', navigation('same-site'), true],
    ['opened from another site', '/console', navigation('cross-site'), false],
    ['in a frame', '/console', { ...navigation('same-site'), 'sec-fetch-dest': 'iframe' }, false],
    ['with a session', '/console', { ...navigation('none'), cookie: 'agent-flow-session=x' }, false],
    ['a file of it', '/console/assets/main.js', navigation('none'), false],
    ['another page', '/consoles', navigation('none'), false],
    ['no browser', '/console', {}, false],
  ] as const)('%s', async (_, path, headers, isLed) => {
    const { status, location } = await get(`${listener.baseUrl}${path}`, headers);
    const led = `/auth/login?${new URLSearchParams({ return_to: path })}`;
    expect([status, location]).toEqual(isLed ? [302, led] : [200, undefined]);
  });

  test('other names of this machine are refused (DNS rebinding)', async () => {
    const headers = { ...navigation('none'), host: 'evil.example' };
    expect((await get(`${listener.baseUrl}/console`, headers)).status).toBe(403);
  });
});

describe.each([true, false])('the identity provider, if it signs in at once: %s', (signsInAtOnce) => {
  let provider: IdentityProvider;
  beforeAll(async () => {
    process.env.GATEWAY_URL = 'http://127.0.0.1:3999';
    provider = await startIdentityProvider({ formerUrl: 'http://127.0.0.1:0', signsInAtOnce });
    provider.open('http://127.0.0.1:3999');
  });
  afterAll(() => provider.close());

  /** Begins a sign-in and opens the page of the provider. */
  async function open(headers: Headers, prompt?: string) {
    const query = new URLSearchParams({
      client_id: provider.clientId,
      response_type: 'code',
      redirect_uri: 'http://127.0.0.1:3999/auth/callback',
      scope: 'openid email',
      code_challenge: createHash('sha256').update('verifier').digest('base64url'),
      code_challenge_method: 'S256',
      ...(prompt && { prompt }),
    });
    const begun = await get(`${provider.url}/auth?${query}`, headers);
    const cookie = begun.cookies.map((each) => each.split(';')[0]).join('; ');
    const page = new URL(begun.location ?? '', provider.url).href;
    return { page, cookie, shown: await get(page, { ...headers, cookie }) };
  }

  test.each([
    ['who opens it', navigation('none'), undefined, signsInAtOnce],
    ['who comes from the service', navigation('same-site'), undefined, signsInAtOnce],
    ['whom another site sends', navigation('cross-site'), undefined, false],
    ['who signs in as somebody else', navigation('same-site'), 'login', false],
    ['a program', {}, undefined, false],
  ] as const)('%s', async (_, headers, prompt, isSignedIn) => {
    const { shown } = await open(headers, prompt);
    expect(shown.status).toBe(isSignedIn ? 303 : 200);
    expect(shown.text.includes('Olive Owner')).toBe(!isSignedIn);
  });

  test('refuses other names and other methods', async () => {
    const { page, cookie } = await open(navigation('cross-site'));
    expect((await get(page, { cookie, host: 'evil.example' })).status).toBe(403);
    expect((await get(page, { cookie }, 'PUT')).status).toBe(405);
  });
});
