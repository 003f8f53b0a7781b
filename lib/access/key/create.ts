// Creates an API key that may do what its creator may, or less.
import { ServiceError } from '#lib/errors.ts';
import { newKeyId } from '#lib/ids.ts';
import { issueApiKey } from '../api-key.ts';
import type { Caller } from '../caller.ts';
import { mayUseWorkspace } from '../permission.ts';
import type { ApiKey, CreateKeyBody } from './key.ts';
import { insertKey } from './store.ts';

const daysDefault = 90;
const daySeconds = 86_400;
const lifetimeSecondsMax = 365 * daySeconds;

/** The token is made first: if storing fails nobody gets it, and without its item it is worth nothing. */
export async function createKey(
  caller: Caller,
  body: CreateKeyBody,
  at: string,
): Promise<ApiKey & { token: string }> {
  requireNoMoreThan(caller, body);
  const issuedAt = Math.floor(Date.parse(at) / 1_000);
  const lifetimeSeconds = lifetime(body, issuedAt);
  const key: ApiKey = {
    keyid: newKeyId(),
    orgid: caller.orgid,
    label: body.label,
    scopes: [...new Set(body.scopes)],
    workspaces: body.workspaces === '*' ? '*' : [...new Set(body.workspaces)],
    created_by: caller.id,
    created_at: at,
    expires_at: new Date((issuedAt + lifetimeSeconds) * 1_000).toISOString(),
  };
  const { orgid, workspaces, scopes } = key;
  const token = await issueApiKey({
    id: key.keyid,
    orgid,
    workspaces,
    scopes,
    issuedAt,
    lifetimeSeconds,
    isRegistered: true,
  });
  await insertKey(key);
  return { ...key, token };
}

/** Names what is too much. */
function requireNoMoreThan(caller: Caller, { scopes, workspaces }: CreateKeyBody): void {
  const wanted = workspaces === '*' ? ['*'] : workspaces;
  const excess = [
    ...scopes.filter((scope) => !caller.scopes.has(scope)),
    ...wanted.filter((workspace) => !mayUseWorkspace(caller, workspace)).map((id) => `workspace ${id}`),
  ];
  if (excess.length === 0) return;
  const detail = `A key may do what its creator may, or less. The credentials lack: ${[...new Set(excess)].join(', ')}.`;
  throw new ServiceError('permission_denied', { detail });
}

function lifetime(body: CreateKeyBody, issuedAt: number): number {
  if (body.expires_at === undefined) return (body.expires_in_days ?? daysDefault) * daySeconds;
  const seconds = Math.floor(Date.parse(body.expires_at) / 1_000) - issuedAt;
  if (seconds > 0 && seconds <= lifetimeSecondsMax) return seconds;
  const detail = 'must be in the future, and a year away at most';
  throw new ServiceError('validation_failed', { errors: [{ pointer: '/body/expires_at', detail }] });
}
