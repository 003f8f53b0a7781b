// The kinds of credentials, where a request carries each, and who verifies it. A new kind is one row and one
// verifier.
import { decodeProtectedHeader } from 'jose';
import { ServiceError } from '#lib/errors.ts';
import { accessTokenType, verifyAccessToken } from './access-token.ts';
import { verifyApiKey } from './api-key.ts';
import type { Caller } from './caller.ts';
import { readCookies } from './cookie.ts';
import type { Resource } from './resource.ts';
import { verifySession } from './session.ts';

/** All values of each header, by its name in lower case. */
export type HeaderValues = Readonly<Record<string, readonly string[] | undefined>>;

interface CredentialRow {
  readonly header: string;
  /** The tokens in the values of the header; undefined for a value that holds something else. */
  readonly readTokens: (values: readonly string[]) => readonly (string | undefined)[];
  readonly verify: (token: string, resource: Resource) => Promise<Caller>;
  readonly location: string;
}

const credentialTable = {
  apiKey: {
    header: 'x-api-key',
    readTokens: (values) => values,
    verify: verifyJwt,
    location: 'X-API-Key',
  },
  bearer: {
    header: 'authorization',
    readTokens: (values) => values.map((value) => /^bearer +(\S+)$/i.exec(value)?.[1]),
    verify: verifyJwt,
    location: 'Authorization: Bearer',
  },
  /** Beside other cookies, which are no credentials. */
  session: {
    header: 'cookie',
    readTokens: (values) => readCookies(values, 'session'),
    verify: verifySession,
    location: 'the cookie of a session',
  },
} as const satisfies Record<string, CredentialRow>;

/** An API key or an access token. Each verifier checks `typ` again. */
async function verifyJwt(token: string, resource: Resource): Promise<Caller> {
  return readType(token) === accessTokenType
    ? await verifyAccessToken(token, resource)
    : await verifyApiKey(token);
}

function readType(token: string): unknown {
  try {
    return decodeProtectedHeader(token).typ;
  } catch {
    return undefined;
  }
}

export type CredentialKind = keyof typeof credentialTable;
const allKinds = Object.values<CredentialRow>(credentialTable);

interface Wanted {
  readonly isOptional?: boolean;
  /** What access tokens must be for; the API unless given. */
  readonly resource?: Resource | undefined;
}

/**
 * Undefined for a request without credentials where none are needed. A key or token may stand in two headers, but not
 * beside another one, in headers that the route does not accept either: different parties could each go by another.
 * Beside a session it is refused, unless both are of one principal; then the caller is limited to the token.
 */
export async function authenticate(
  accepted: readonly CredentialKind[],
  headers: HeaderValues,
  { isOptional = false, resource = 'api' }: Wanted = {},
): Promise<Caller | undefined> {
  if (accepted.length === 0) return undefined;
  requireOneCredential(headers);
  if (!accepted.some((kind) => isSent(credentialTable[kind], headers))) {
    if (isOptional && !hasCredentials(headers)) return undefined;
    throw new ServiceError('unauthenticated', { cause: 'No credentials.' });
  }
  const [caller, ...others] = await Promise.all(verifyTokens(headers, resource));
  if (others.every((other) => isSamePrincipal(other, caller))) return caller;
  throw new ServiceError('unauthenticated', { cause: 'Credentials of several principals.' });
}

const isSent = ({ header, readTokens }: CredentialRow, headers: HeaderValues): boolean =>
  readTokens(headers[header] ?? []).some((token) => token !== undefined);

/** Of all kinds, sessions last. The two headers have the same key or token, which is verified once. */
function verifyTokens(headers: HeaderValues, resource: Resource): readonly Promise<Caller>[] {
  const found = new Map<string, CredentialRow['verify']>();
  for (const { header, readTokens, verify } of allKinds)
    for (const token of readTokens(headers[header] ?? [])) if (token !== undefined) found.set(token, verify);
  return [...found].map(async ([token, verify]) => await verify(token, resource));
}

const isSamePrincipal = (one: Caller, other: Caller | undefined): boolean =>
  one.id === other?.id && one.orgid === other.orgid;

/**
 * A header that occurs twice is refused even with equal values: it is not a list, so no client may send it
 * twice (RFC 9110 §5.3), and a proxy in between may have read either. A value that holds no token counts as
 * another credential. HTTP/2 splits cookies over several headers (RFC 9113 §8.2.3); two sessions are refused.
 */
function requireOneCredential(headers: HeaderValues): void {
  const keys: readonly CredentialRow[] = [credentialTable.apiKey, credentialTable.bearer];
  const sent = keys.flatMap(({ header, readTokens }) => readTokens(headers[header] ?? []));
  const isDuplicated = keys.some(({ header }) => (headers[header] ?? []).length > 1);
  const sessions = credentialTable.session.readTokens(headers.cookie ?? []);
  const isBesideOther = sessions.length > 0 && sent.includes(undefined);
  if (!isDuplicated && new Set(sent).size <= 1 && sessions.length <= 1 && !isBesideOther) return;
  throw new ServiceError('unauthenticated', { cause: 'Several credentials.' });
}

export const hasCredentials = (headers: HeaderValues): boolean =>
  allKinds.some(({ header, readTokens }) => readTokens(headers[header] ?? []).length > 0);

/** Whether a browser has added its session to the request, which it also does for pages of others. */
export const hasSession = (headers: HeaderValues): boolean =>
  credentialTable.session.readTokens(headers.cookie ?? []).length > 0;

/**
 * The detail of every 401. It is the same whatever the reason, so that the reasons cannot be distinguished.
 */
export function describeCredentials(accepted: readonly CredentialKind[]): string {
  const keys = accepted.filter((kind) => kind !== 'session').map((kind) => credentialTable[kind].location);
  const session = accepted.includes('session') ? ', or the cookie of a session that has not ended' : '';
  return (
    `Send a valid API key in ${keys.join(' or ')}: complete, not expired or revoked, and issued by this service. ` +
    `Or send an access token for this URL in the same way${session}.`
  );
}
