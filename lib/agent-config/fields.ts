// The fields of a form by the type of the connection, and how a form that was sent becomes a credential. What is
// valid is decided by the schema that the API uses too.
import { type ConnectionBody, connectionBody } from '#lib/connection/connection.ts';
import type { MissingConnection } from '#lib/connection/missing.ts';
import type { connectionTypes } from '#lib/flow/format/connection.ts';
import { boundedParse } from '#lib/json/bounded-parse.ts';
import { describeIssue, describeIssues } from '#lib/zod-messages.ts';

export type ConnectionType = (typeof connectionTypes)[number];

export interface Field {
  readonly name: string;
  readonly label: string;
  readonly hint?: string;
  readonly isSecret?: boolean;
  readonly isOptional?: boolean;
  readonly inputMode?: 'url';
  /** Spaces around it belong to it, as in a password. */
  readonly isVerbatim?: boolean;
  readonly choices?: readonly { readonly value: string; readonly label: string }[];
  /** Sent as words between spaces, stored as a list. */
  readonly isList?: boolean;
}

const clientFields: readonly Field[] = [
  {
    name: 'token_url',
    label: 'Token URL',
    hint: 'Where tokens are fetched, such as https://accounts.example.com/oauth2/token',
    inputMode: 'url',
  },
  { name: 'client_id', label: 'Client ID' },
];
const clientAuth: Field = {
  name: 'client_auth',
  label: 'How the client secret is sent',
  choices: [
    { value: 'basic', label: 'In the Authorization header (most servers)' },
    { value: 'body', label: 'In the body of the request' },
  ],
};
const scopes: Field = {
  name: 'scopes',
  label: 'Scopes',
  hint: 'Separated by spaces',
  isOptional: true,
  isList: true,
};

export const fieldsByType: Readonly<Record<ConnectionType, readonly Field[]>> = {
  http_bearer: [{ name: 'token', label: 'Token', isSecret: true }],
  http_header: [
    { name: 'header', label: 'Name of the header', hint: 'Such as X-API-Key' },
    { name: 'value', label: 'Value', isSecret: true },
  ],
  http_query: [
    { name: 'parameter', label: 'Name of the parameter', hint: 'Such as api_key' },
    { name: 'value', label: 'Value', isSecret: true },
  ],
  http_basic: [
    { name: 'username', label: 'User name' },
    { name: 'password', label: 'Password', isSecret: true, isVerbatim: true },
  ],
  oauth_client_credentials: [
    ...clientFields,
    { name: 'client_secret', label: 'Client secret', isSecret: true },
    clientAuth,
    scopes,
  ],
  oauth_user: [
    ...clientFields,
    {
      name: 'client_secret',
      label: 'Client secret',
      hint: 'Only if the client has one',
      isSecret: true,
      isOptional: true,
    },
    clientAuth,
    { name: 'refresh_token', label: 'Refresh token', isSecret: true },
    scopes,
  ],
  aws_sigv4: [
    {
      name: 'role_arn',
      label: 'ARN of the role',
      hint: 'Such as arn:aws:iam::123456789012:role/agent-flow/search. Its path begins with /agent-flow/',
    },
  ],
};

/** Apart from the other names of the form, of which one is `token` too. */
export const inputName = ({ name }: Pick<Field, 'name'>): string => `credential.${name}`;

export type ReadConnection =
  | { readonly isValid: true; readonly body: ConnectionBody }
  /** By the name of the field. */
  | { readonly isValid: false; readonly mistakes: ReadonlyMap<string, string> };

/** Everything but the credential is what the flow declares: a form cannot choose the hosts. */
export function readConnection(wanted: MissingConnection, form: URLSearchParams): ReadConnection {
  const { type, scope, label, hosts, aws } = wanted;
  const given = fieldsByType[type].flatMap((field) => {
    const value = readField(field, form);
    return value === undefined ? [] : [[field.name, value] as const];
  });
  const body = {
    type,
    scope,
    ...(label !== undefined && { label }),
    hosts,
    credential: { ...Object.fromEntries(given), ...aws },
  };
  const parsed = boundedParse(connectionBody, body, (issue) => describeIssue(issue));
  if (parsed.success) return { isValid: true, body: parsed.data };
  const mistakes = new Map<string, string>();
  for (const { path, detail } of describeIssues(parsed.issues)) {
    const name = String(path[1]);
    if (!mistakes.has(name)) mistakes.set(name, toSentence(type, name, detail));
  }
  return { isValid: false, mistakes };
}

/** Undefined for a field that was left empty. */
function readField(field: Field, form: URLSearchParams): string | string[] | undefined {
  const sent = form.get(inputName(field)) ?? '';
  const text = field.isVerbatim ? sent : sent.trim();
  if (text === '') return undefined;
  return field.isList ? text.split(/\s+/) : text;
}

/** Messages of the schemas follow the name of the field, such as "must be a header name". */
function toSentence(type: ConnectionType, name: string, detail: string): string {
  const label = fieldsByType[type].find((field) => field.name === name)?.label ?? name;
  return detail.startsWith('is required') ? `Enter the ${lowerFirst(label)}.` : `${label} ${detail}.`;
}

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);
