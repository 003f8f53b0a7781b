// One request to an OAuth 2.0 token endpoint (RFC 6749 §3.2) and its response. Messages name the connection
// and the error code, never what was sent or received.
import * as z from 'zod';
import type { GuardedFetch } from '#lib/egress/guarded-fetch.ts';
import { NodeError } from '#lib/flow/format/node-error.ts';
import { tryParse } from '#lib/json/try-parse.ts';
import { type Secret, secret } from '#lib/secret.ts';
import type { OauthClient, OauthUser } from './credential.ts';

export interface Tokens {
  readonly accessToken: Secret;
  /** Ms since 1970. */
  readonly expiresAt: number;
  readonly refreshToken: Secret | undefined;
}

type Client = Pick<OauthClient | OauthUser, 'token_url' | 'client_id' | 'client_secret' | 'client_auth'>;

export interface TokenRequest {
  /** The name of the connection, for messages. */
  readonly name: string;
  readonly client: Client;
  readonly grant: Readonly<Record<string, string>>;
  readonly scopes: readonly string[] | undefined;
}

const limits = { headersMs: 10_000, bodyMs: 5_000, responseBytesMax: 64 * 1024 };

const success = z.object({
  access_token: z.string().min(1),
  token_type: z.string().regex(/^bearer$/i),
  expires_in: z.coerce.number().positive().optional(),
  refresh_token: z.string().min(1).optional(),
});
/** RFC 6749 §5.2. */
const failure = z.object({ error: z.string().regex(/^[a-z_]{1,40}$/) });

/** For servers that do not send `expires_in`. */
const lifetimeSecondsDefault = 300;

/**
 * Throws `NodeError`: `connection.expired` when the user must store the connection again,
 * `connection.refused` when the server refuses for another reason, `connection.unavailable` when a later
 * attempt may succeed.
 */
export async function requestTokens(
  fetch: GuardedFetch,
  request: TokenRequest,
  now: () => number,
): Promise<Tokens> {
  const requestedAt = now();
  const { status, body } = await send(fetch, request);
  const parsed = success.safeParse(body);
  if (status === 200 && parsed.success) {
    const { access_token, expires_in = lifetimeSecondsDefault, refresh_token } = parsed.data;
    return {
      accessToken: secret(access_token),
      expiresAt: requestedAt + expires_in * 1_000,
      refreshToken: refresh_token === undefined ? undefined : secret(refresh_token),
    };
  }
  const endpoint = `The token endpoint of the connection "${request.name}"`;
  if (status >= 500 || status === 429)
    throw new NodeError('connection.unavailable', `${endpoint} is not available (${status}).`);
  const error = failure.safeParse(body).data?.error ?? `status ${status}`;
  const isExpired = error === 'invalid_grant' && request.grant.grant_type === 'refresh_token';
  const code = isExpired ? 'connection.expired' : 'connection.refused';
  throw new NodeError(code, `${endpoint} gives no token: ${error}.`);
}

/** Redirects are refused: the client secret is for this URL alone. */
async function send(fetch: GuardedFetch, request: TokenRequest): Promise<{ status: number; body: unknown }> {
  const { client, grant, scopes, name } = request;
  const form = new URLSearchParams({ ...grant, ...(scopes && { scope: scopes.join(' ') }) });
  const headers = { accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded' };
  const authorization = clientAuthorization(client, form);
  try {
    const response = await fetch(client.token_url, {
      method: 'POST',
      headers: { ...headers, ...(authorization !== undefined && { authorization }) },
      body: form.toString(),
      redirect: 'error',
      limits,
    });
    return { status: response.status, body: tryParse(await response.text()) };
  } catch (cause) {
    const host = URL.parse(client.token_url)?.host;
    const message = `The token endpoint of the connection "${name}" (${host}) did not answer.`;
    throw new NodeError('connection.unavailable', message, { cause });
  }
}

/**
 * RFC 6749 §2.3.1: form-encoded before they are joined. A public client (no secret) sends its id in the body.
 */
function clientAuthorization(client: Client, form: URLSearchParams): string | undefined {
  const { client_id, client_secret, client_auth = 'basic' } = client;
  if (client_secret !== undefined && client_auth === 'basic') {
    const pair = [client_id, client_secret.reveal()].map(formEncoded).join(':');
    return `Basic ${Buffer.from(pair).toString('base64')}`;
  }
  form.set('client_id', client_id);
  if (client_secret !== undefined) form.set('client_secret', client_secret.reveal());
  return undefined;
}

const formEncoded = (text: string) => new URLSearchParams({ '': text }).toString().slice(1);
