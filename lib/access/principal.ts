// Principals: who acts. Rows, runs, connections and audit records name one by its id, and the form of the id says
// which of the three kinds it is.
import { hash } from 'node:crypto';
import * as z from 'zod';

export const principalKinds = ['user', 'api_key', 'service'] as const;
export type PrincipalKind = (typeof principalKinds)[number];

export interface Principal {
  /** `user_…`, `service_…`, or the id of an API key. */
  readonly id: string;
  /**
   * Of an API key that another principal has made: who began the chain of keys, a user or a key that was issued
   * offline. Keys made before this was recorded have none.
   */
  readonly root?: string;
}

const prefixes = { user: 'user_', service: 'service_' } as const;

/** Ids of API keys have no form in common: operators may have issued them under any name. */
export function principalKind(id: string): PrincipalKind {
  if (id.startsWith(prefixes.user)) return 'user';
  return id.startsWith(prefixes.service) ? 'service' : 'api_key';
}

/** An operator with AWS credentials, who acts outside the API. */
export const operatorId = `${prefixes.service}operator`;

/**
 * A user is an issuer and its `sub` (OpenID Connect Core 1.0 §5.7), never an e-mail address, which can be given to
 * another person.
 */
export const deriveUserId = (issuer: string, sub: string): string =>
  `${prefixes.user}${hash('sha256', JSON.stringify([issuer, sub]), 'base64url')}`;

export const userId = /* @__PURE__ */ z.lazy(() =>
  z
    .string()
    .regex(/^user_[\w-]{43}$/, 'must be "user_" and 43 characters')
    .meta({
      description: 'A user: an issuer of identities and the id that it has given to a person.',
      example: 'user_n4bQgYhMfWWaL-qgxVrQFaO_TxsrC4Is0V1sFbDwCgg',
    }),
);

/** The principal at the beginning of a chain of keys. */
export const rootOf = ({ id, root = id }: Principal): string => root;
