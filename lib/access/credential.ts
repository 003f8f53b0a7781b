// The kinds of credentials, where a request carries each, and who verifies it. A new kind is one row and one
// verifier.
import { ServiceError } from '#lib/errors.ts';
import { verifyApiKey } from './api-key.ts';
import type { Caller } from './caller.ts';

/** All values of each header, by its name in lower case. */
export type HeaderValues = Readonly<Record<string, readonly string[] | undefined>>;

const credentialTable = {
  apiKey: {
    header: 'x-api-key',
    readToken: (value: string): string | undefined => value,
    verify: verifyApiKey,
    location: 'X-API-Key',
  },
  bearer: {
    header: 'authorization',
    readToken: (value: string) => /^bearer +(\S+)$/i.exec(value)?.[1],
    verify: verifyApiKey,
    location: 'Authorization: Bearer',
  },
} as const;

export type CredentialKind = keyof typeof credentialTable;
const allKinds = Object.values(credentialTable);

/**
 * Undefined for a request without credentials where none are needed. A request carries one credential: it may
 * stand in two headers, but not beside another one, in headers that the route does not accept either.
 * Otherwise different parties could each go by another.
 */
export async function authenticate(
  accepted: readonly CredentialKind[],
  headers: HeaderValues,
  isOptional = false,
): Promise<Caller | undefined> {
  if (accepted.length === 0) return undefined;
  requireOneCredential(headers);
  for (const kind of accepted) {
    const { header, readToken, verify } = credentialTable[kind];
    const [value] = headers[header] ?? [];
    const token = value === undefined ? undefined : readToken(value);
    if (token !== undefined) return await verify(token);
  }
  if (isOptional && !hasCredentials(headers)) return undefined;
  throw new ServiceError('unauthenticated', { cause: 'No credentials.' });
}

/**
 * A header that occurs twice is refused even with equal values: it is not a list, so no client may send it
 * twice (RFC 9110 §5.3), and a proxy in between may have read either. A value that holds no token counts as
 * another credential.
 */
function requireOneCredential(headers: HeaderValues): void {
  const sent = allKinds.flatMap(({ header, readToken }) => (headers[header] ?? []).map(readToken));
  const isDuplicated = allKinds.some(({ header }) => (headers[header] ?? []).length > 1);
  if (!isDuplicated && new Set(sent).size <= 1) return;
  throw new ServiceError('unauthenticated', { cause: 'Several credentials.' });
}

const hasCredentials = (headers: HeaderValues): boolean =>
  allKinds.some(({ header }) => (headers[header] ?? []).length > 0);

/**
 * The detail of every 401. It is the same whatever the reason, so that the reasons cannot be distinguished.
 */
export function describeCredentials(accepted: readonly CredentialKind[]): string {
  const locations = accepted.map((kind) => credentialTable[kind].location).join(' or ');
  return `Send a valid API key in ${locations}: complete, not expired or revoked, and issued by this service.`;
}

/**
 * For a request that carried no credential (RFC 9110 §11.6.1). There is no scheme for X-API-Key; wherever
 * that is accepted, the same key is a Bearer token.
 */
export const bearerChallenge = 'Bearer realm="agent-flow"';

/**
 * The challenge of a 401. With a code where a credential was sent, and without where none was (RFC 6750
 * §3.1).
 */
export const buildChallenge = (headers: HeaderValues): string =>
  hasCredentials(headers) ? `${bearerChallenge}, error="invalid_token"` : bearerChallenge;
