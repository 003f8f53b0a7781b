// An OAuth server on loopback whose refresh tokens are good once: it answers each with another, and when one
// comes back it revokes all that it ever gave, as many providers do. Beside it stands an API that takes its
// access tokens.
import { createServer, type IncomingMessage } from 'node:http';
import { closeServer, listen } from '#lib/local/listen.ts';

export type IssuerMode = 'giving' | 'away' | 'refusing';

export interface RotatingIssuer {
  /** The base URL of the API, which answers 200 or 401. */
  readonly url: string;
  readonly host: string;
  /** What has been spent so far, oldest first; a token that stands here twice was spent twice. */
  readonly spent: readonly string[];
  readonly isRevoked: () => boolean;
  readonly be: (mode: IssuerMode) => void;
  /** As a caller of the API stores them: the first refresh token, and an access token that has expired. */
  readonly connection: (some?: object) => object;
  /** The API takes the newest access token no more. */
  readonly rejectNewest: () => void;
  readonly close: () => Promise<void>;
}

export async function startRotatingIssuer(): Promise<RotatingIssuer> {
  const spent: string[] = [];
  const accessTokens: string[] = [];
  let current = 'refresh-0';
  let isRevoked = false;
  let mode: IssuerMode = 'giving';

  const refresh = (given: string | null): [number, object] => {
    if (mode === 'away') return [503, {}];
    spent.push(given ?? '');
    if (given !== current) isRevoked = true;
    if (isRevoked || mode === 'refusing') return [400, { error: 'invalid_grant' }];
    current = `refresh-${spent.length}`;
    accessTokens.push(`access-token-${spent.length}`);
    const tokens = { access_token: accessTokens.at(-1), refresh_token: current };
    return [200, { ...tokens, token_type: 'Bearer', expires_in: 3600 }];
  };
  const use = (authorization = ''): [number, object] => {
    const isTaken = !isRevoked && accessTokens.includes(authorization.replace('Bearer ', ''));
    return [isTaken ? 200 : 401, { fine: isTaken }];
  };

  const server = createServer(async (request, response) => {
    const [status, body] =
      request.url === '/token'
        ? refresh(new URLSearchParams(await readText(request)).get('refresh_token'))
        : use(request.headers.authorization);
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  const url = await listen(server, 0);
  const { host } = new URL(url);
  return {
    url: `${url}/api`,
    host,
    spent,
    isRevoked: () => isRevoked,
    be: (next) => {
      mode = next;
    },
    connection: (some = {}) => ({
      type: 'oauth_user',
      hosts: [host],
      credential: {
        token_url: `${url}/token`,
        client_id: 'flows',
        refresh_token: current,
        access_token: 'access-token-0',
        expires_at: new Date(0).toISOString(),
      },
      ...some,
    }),
    rejectNewest: () => void accessTokens.pop(),
    close: () => closeServer(server),
  };
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}
