// The members of the credential of each type, and what a form with them sends. Pure.
import type { CallInput, CallOutput } from '../api/client.ts';
import type { FieldPointers } from '../parts/field-errors.ts';
import { words } from './words.ts';

export type Connection = CallOutput<'listConnections'>['items'][number];
export type ConnectionType = Connection['type'];
type Body = CallInput<'putConnection'>['body'];

interface CredentialField {
  readonly name: string;
  readonly label: string;
  readonly hint?: string;
  /** Typed unseen. */
  readonly isSecret?: boolean;
  readonly isOptional?: boolean;
  /** Words, which become a list. */
  readonly isList?: boolean;
  readonly options?: readonly (readonly [value: string, label: string])[];
}

const tokenUrl: CredentialField = { name: 'token_url', label: words.tokenUrl };
const clientId: CredentialField = { name: 'client_id', label: words.clientId };
const clientAuth: CredentialField = {
  name: 'client_auth',
  label: words.clientAuth,
  options: Object.entries(words.clientAuths),
};
const scopes: CredentialField = {
  name: 'scopes',
  label: words.scopesOfToken,
  hint: words.spaces,
  isList: true,
  isOptional: true,
};

const credentialFields = {
  http_bearer: [{ name: 'token', label: words.token, isSecret: true }],
  http_header: [
    { name: 'header', label: words.header },
    { name: 'value', label: words.value, isSecret: true },
  ],
  http_query: [
    { name: 'parameter', label: words.parameter },
    { name: 'value', label: words.value, isSecret: true },
  ],
  http_basic: [
    { name: 'username', label: words.username },
    { name: 'password', label: words.password, isSecret: true },
  ],
  oauth_client_credentials: [
    tokenUrl,
    clientId,
    { name: 'client_secret', label: words.clientSecret, isSecret: true },
    clientAuth,
    scopes,
  ],
  oauth_user: [
    tokenUrl,
    clientId,
    {
      name: 'client_secret',
      label: words.clientSecret,
      hint: words.optional,
      isSecret: true,
      isOptional: true,
    },
    clientAuth,
    { name: 'refresh_token', label: words.refreshToken, isSecret: true },
    {
      name: 'access_token',
      label: words.accessToken,
      hint: words.optional,
      isSecret: true,
      isOptional: true,
    },
    { name: 'expires_at', label: words.expiresAt, hint: words.expiresHint, isOptional: true },
    scopes,
  ],
  aws_sigv4: [
    { name: 'role_arn', label: words.roleArn, hint: words.roleHint },
    { name: 'services', label: words.services, hint: words.servicesHint, isList: true },
    { name: 'regions', label: words.regions, hint: words.regionsHint, isList: true },
  ],
} as const satisfies Record<ConnectionType, readonly CredentialField[]>;

export const fieldsOf = (type: ConnectionType): readonly CredentialField[] => credentialFields[type];

/** Which members of the request the fields of the form set. */
export const pointersOf = (type: ConnectionType): FieldPointers => ({
  name: '/path/name',
  ...Object.fromEntries(['type', 'hosts', 'scope', 'label'].map((name) => [name, `/body/${name}`])),
  ...Object.fromEntries(fieldsOf(type).map(({ name }) => [name, `/body/credential/${name}`])),
});

export const isConnectionType = (value: string | null | undefined): value is ConnectionType =>
  typeof value === 'string' && value in credentialFields;

/** The service checks it. */
export function readConnectionForm(form: FormData, type: ConnectionType): Body {
  const text = (name: string) => String(form.get(name) ?? '');
  const list = (name: string) =>
    text(name)
      .trim()
      .split(/[\s,]+/)
      .filter(Boolean);
  const credential = Object.fromEntries(
    fieldsOf(type).flatMap(({ name, isList, isSecret, isOptional }) => {
      const value = isList ? list(name) : isSecret ? text(name) : text(name).trim();
      return isOptional && value.length === 0 ? [] : [[name, value]];
    }),
  );
  const label = text('label').trim();
  return {
    type,
    scope: text('scope') === 'user' ? 'user' : 'organization',
    ...(label && { label }),
    hosts: list('hosts'),
    credential,
  } as Body;
}
