// Clients of the authorization server, and people who answer its consent page as a browser does.
import { createHash, randomBytes } from 'node:crypto';
import * as z from 'zod';
import type { Browser } from './person.ts';
import { serviceUrl } from './service-url.ts';

export const connector = (): string => `${serviceUrl()}/api/v1/ai/mcp`;
export const redirectUri = 'https://client.example.com/callback';

const registered = z.looseObject({
  client_id: z.string(),
  client_secret: z.string().optional(),
  redirect_uris: z.array(z.string()),
  registration_access_token: z.string(),
  registration_client_uri: z.string(),
});
export type RegisteredClient = z.infer<typeof registered>;

export const register = async (metadata: object, path = '/oauth/register'): Promise<Response> =>
  await fetch(`${serviceUrl()}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(metadata),
  });

export async function newClient(metadata: object = {}): Promise<RegisteredClient> {
  const response = await register({
    client_name: 'Test client',
    redirect_uris: [redirectUri],
    token_endpoint_auth_method: 'none',
    ...metadata,
  });
  if (response.status !== 201) throw new Error(`Not registered: ${await response.text()}`);
  return registered.parse(await response.json());
}

export interface Pkce {
  readonly verifier: string;
  readonly challenge: string;
}

export function newPkce(): Pkce {
  const verifier = randomBytes(32).toString('base64url');
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') };
}

type Parameters = Readonly<Record<string, string | undefined>>;

/** Undefined leaves a parameter out. */
export function authorizeUrl(clientId: string, { challenge }: Pkce, parameters: Parameters = {}): string {
  const url = new URL(`${serviceUrl()}/oauth/authorize`);
  const all = {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    state: 'state-of-the-client',
    code_challenge: challenge,
    code_challenge_method: 'S256',
    resource: connector(),
    scope: 'agents:read agents:call',
    ...parameters,
  };
  for (const [name, value] of Object.entries(all)) if (value !== undefined) url.searchParams.set(name, value);
  return url.href;
}

/** The address of the consent page; throws what was shown instead. */
export async function openConsent(browser: Browser, url: string): Promise<string> {
  const response = await browser.fetch(url);
  const location = response.headers.get('location') ?? '';
  if (location.startsWith(`${serviceUrl()}/oauth/consent/`)) return location;
  throw new Error(`No consent page, but ${response.status} ${location} ${await response.text()}`);
}

/** The fields of the last form of the page, as a browser sends them. */
export function readForm(page: string): URLSearchParams {
  const form = new URLSearchParams();
  for (const [input] of page.matchAll(/<input [^>]*>/g)) {
    if (input.includes('type="checkbox"') && !input.endsWith(' checked>')) continue;
    const { name, value = '' } = Object.fromEntries(
      [...input.matchAll(/(\w+)="([^"]*)"/g)].map(([, key, text]) => [key, text]),
    );
    if (name) form.append(name, value);
  }
  return form;
}

export const ownPage = (): Record<string, string> => ({
  origin: new URL(serviceUrl()).origin,
  'sec-fetch-site': 'same-origin',
});

/** Sends the form of the consent page, with changes. */
export async function sendConsent(
  browser: Browser,
  consentUrl: string,
  change: (form: URLSearchParams) => void = () => undefined,
): Promise<Response> {
  const form = readForm(await (await browser.fetch(consentUrl)).text());
  form.set('action', 'allow');
  change(form);
  return await browser.fetch(consentUrl, { method: 'POST', body: form, headers: ownPage() });
}

/** Where the page after the consent leads. */
export function readRedirect(page: string): URL {
  const [, url = ''] = /http-equiv="refresh" content="0; url=([^"]+)"/.exec(page) ?? [];
  return new URL(url.replaceAll('&amp;', '&').replaceAll('&#39;', "'"));
}

/** The answer that the client gets at its redirect URI. */
export async function authorize(
  browser: Browser,
  url: string,
  change?: (form: URLSearchParams) => void,
): Promise<URL> {
  const response = await sendConsent(browser, await openConsent(browser, url), change);
  const page = await response.text();
  if (response.status !== 200) throw new Error(`No answer, but ${response.status} ${page}`);
  return readRedirect(page);
}

interface TokenRequest {
  readonly headers?: Readonly<Record<string, string>>;
  readonly path?: string;
}

export const requestToken = async (
  parameters: Parameters,
  { headers = {}, path = '/oauth/token' }: TokenRequest = {},
): Promise<Response> => {
  const body = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) body.set(name, value);
  return await fetch(`${serviceUrl()}${path}`, { method: 'POST', body, headers });
};

const tokens = z.object({
  access_token: z.string(),
  token_type: z.literal('Bearer'),
  expires_in: z.number(),
  scope: z.string(),
  refresh_token: z.string().optional(),
  id_token: z.string().optional(),
});
export type Tokens = z.infer<typeof tokens>;

export async function readTokens(response: Response): Promise<Tokens> {
  if (response.status !== 200) throw new Error(`No tokens, but ${response.status} ${await response.text()}`);
  return tokens.parse(await response.json());
}

export interface Authorized {
  readonly client: RegisteredClient;
  readonly pkce: Pkce;
  readonly code: string;
}

/** A code of a new client, that was not exchanged yet. */
export async function newCode(browser: Browser, parameters: Parameters = {}): Promise<Authorized> {
  const client = await newClient();
  const pkce = newPkce();
  const answer = await authorize(browser, authorizeUrl(client.client_id, pkce, parameters));
  return { client, pkce, code: answer.searchParams.get('code') ?? '' };
}

export const exchangeForm = ({ client, pkce, code }: Authorized) => ({
  grant_type: 'authorization_code',
  client_id: client.client_id,
  code,
  code_verifier: pkce.verifier,
  redirect_uri: redirectUri,
});

export const exchange = async (authorized: Authorized, changes: Parameters = {}) =>
  await requestToken({ ...exchangeForm(authorized), ...changes });

export const refresh = async ({ client }: Authorized, refreshToken = '', changes: Parameters = {}) =>
  await requestToken({
    grant_type: 'refresh_token',
    client_id: client.client_id,
    refresh_token: refreshToken,
    ...changes,
  });

export const errorOf = async (response: Response): Promise<readonly [number, string]> => {
  const { error } = z.object({ error: z.string() }).parse(await response.json());
  return [response.status, error];
};
