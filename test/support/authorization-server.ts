// A small OAuth 2.0 authorization server on loopback: it gives codes to whoever comes, and tokens for a code once, to
// the client that proves its verifier (RFC 7636).
import { createHash, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { closeServer, listen } from '#lib/local/listen.ts';

export type ServerMood = 'giving' | 'denying' | 'naming another issuer' | 'giving no refresh token' | 'away';

export interface AuthorizationServer {
  readonly url: string;
  readonly host: string;
  /** What was asked for at the authorization endpoint, oldest first. */
  readonly asked: readonly URLSearchParams[];
  readonly be: (mood: ServerMood) => void;
  /** As a flow declares a connection that is connected here. */
  readonly connection: (some?: object, oauth?: object) => object;
  readonly close: () => Promise<void>;
}

export const clientSecret = 'client-secret-of-the-workspace';

export async function startAuthorizationServer(): Promise<AuthorizationServer> {
  const asked: URLSearchParams[] = [];
  const codes = new Map<string, URLSearchParams>();
  let mood: ServerMood = 'giving';
  let url = '';

  const authorize = (query: URLSearchParams, response: ServerResponse) => {
    asked.push(query);
    const back = new URL(query.get('redirect_uri') ?? '');
    const code = randomUUID();
    codes.set(code, query);
    const said = mood === 'denying' ? { error: 'access_denied' } : { code };
    const iss = mood === 'naming another issuer' ? 'https://evil.example' : url;
    const parameters = { ...said, state: query.get('state') ?? '', iss };
    for (const [name, value] of Object.entries(parameters)) back.searchParams.set(name, value);
    response.writeHead(302, { location: back.href }).end();
  };

  const exchange = (form: URLSearchParams, authorization: string | undefined): [number, object] => {
    if (mood === 'away') return [503, {}];
    const code = form.get('code') ?? '';
    const query = codes.get(code);
    codes.delete(code);
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    const isProven =
      query?.get('code_challenge') === challenge && query.get('code_challenge_method') === 'S256';
    if (!query || !isProven || form.get('redirect_uri') !== query.get('redirect_uri'))
      return [400, { error: 'invalid_grant' }];
    const wanted = `Basic ${Buffer.from(`confidential:${clientSecret}`).toString('base64')}`;
    if (query.get('client_id') === 'confidential' && authorization !== wanted)
      return [401, { error: 'invalid_client' }];
    const refresh = mood === 'giving no refresh token' ? {} : { refresh_token: `refresh-${randomUUID()}` };
    return [
      200,
      { access_token: `access-${randomUUID()}`, token_type: 'Bearer', expires_in: 3600, ...refresh },
    ];
  };

  const server = createServer(async (request: IncomingMessage, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://x');
    if (pathname === '/authorize') return authorize(searchParams, response);
    const [status, body] = exchange(new URLSearchParams(await text(request)), request.headers.authorization);
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  url = await listen(server, 0);
  const { host } = new URL(url);
  return {
    url,
    host,
    asked,
    be: (next) => {
      mood = next;
    },
    connection: (some = {}, oauth = {}) => ({
      type: 'oauth_user',
      scope: 'user',
      label: 'Your calendar',
      hosts: ['api.calendar.example'],
      oauth: {
        authorization_url: `${url}/authorize?access_type=offline`,
        token_url: `${url}/token`,
        client_id: 'flows',
        scopes: ['calendar.read'],
        ...oauth,
      },
      ...some,
    }),
    close: () => closeServer(server),
  };
}
