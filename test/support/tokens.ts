// Access tokens for tests: signed by the service's own key as the authorization server does it, with the item of their
// grant.
import { type Grant, toGrantItem } from '#lib/access/grant-items.ts';
import type { OAuthScope } from '#lib/access/oauth-scope.ts';
import { type Resource, resourceUrl } from '#lib/access/resource.ts';
import { signJws } from '#lib/access/signer.ts';
import { controlTable } from '#lib/dynamo/client.ts';
import { putItem } from '#lib/dynamo/items.ts';
import type { Person } from './person.ts';
import { serviceUrl } from './service-url.ts';

type User = Pick<Person, 'id' | 'orgid'>;

const seconds = () => Math.floor(Date.now() / 1_000);
const randomId = () => Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64url');

export async function newGrant({ id, orgid }: User, some: Partial<Grant> = {}): Promise<Grant> {
  const grant: Grant = {
    grantid: randomId(),
    userid: id,
    orgid,
    workspaces: '*',
    clientid: 'client_test',
    client_name: 'Test client',
    scopes: [],
    created_at: new Date().toISOString(),
    expires_at: new Date(Date.now() + 86_400_000).toISOString(),
    ...some,
  };
  await putItem(controlTable, toGrantItem(grant));
  return grant;
}

interface TokenOptions {
  readonly scopes?: readonly OAuthScope[];
  readonly resource?: Resource;
  readonly workspaces?: Grant['workspaces'];
}

export type Claims = Readonly<Record<string, unknown>>;

/** Of a token that is fine. */
export async function newClaims(
  user: User,
  { scopes = ['agents:read', 'agents:call'], resource = 'api', workspaces = '*' }: TokenOptions = {},
): Promise<Claims> {
  const { grantid, clientid } = await newGrant(user, { scopes: [...scopes], workspaces });
  return {
    iss: serviceUrl(),
    sub: user.id,
    aud: resourceUrl(resource),
    client_id: clientid,
    scope: scopes.join(' '),
    org: user.orgid,
    ws: workspaces,
    grant: grantid,
    iat: seconds(),
    exp: seconds() + 600,
    jti: randomId(),
  };
}

/** One KMS call. */
export async function signClaims(claims: Claims, typ = 'at+jwt'): Promise<string> {
  const jws = await signJws({ typ }, JSON.stringify(claims));
  return `${jws.protected}.${jws.payload}.${jws.signature}`;
}

export const newToken = async (user: User, options: TokenOptions = {}): Promise<string> =>
  await signClaims(await newClaims(user, options));
