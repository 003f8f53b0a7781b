// Creates an API key with the permissions of its creator, or fewer. It expires no later than the creator,
// unless the creator has the permission
// `apikeys:extend`; the membership of a user has no end.
import { issueApiKey } from '#lib/access/api-key.ts';
import { type Caller, findLacking, mayUseWorkspace } from '#lib/access/caller.ts';
import { rootOf } from '#lib/access/principal.ts';
import { ServiceError } from '#lib/errors.ts';
import { newKeyId } from '#lib/ids.ts';
import type { ApiKey, CreateKeyBody, KeyWarning } from './api-key.ts';
import { insertKey } from './key-items.ts';

const daysDefault = 90;
const daySeconds = 86_400;
const lifetimeSecondsMax = 365 * daySeconds;

/** The token is made first: if storing fails, it is not returned, and without its item it is not valid. */
export async function createKey(
  caller: Caller,
  body: CreateKeyBody,
  at: string,
): Promise<ApiKey & { token: string; warnings?: KeyWarning[] }> {
  requireNoMoreThan(caller, body);
  const issuedAt = Math.floor(Date.parse(at) / 1_000);
  const root = rootOf(caller);
  const { lifetimeSeconds, warnings } = lifetime(caller, body, issuedAt);
  const key: ApiKey = {
    keyid: newKeyId(),
    orgid: caller.orgid,
    label: body.label,
    scopes: [...new Set(body.scopes)],
    workspaces: body.workspaces === '*' ? '*' : [...new Set(body.workspaces)],
    created_by: caller.id,
    root,
    created_at: at,
    expires_at: new Date((issuedAt + lifetimeSeconds) * 1_000).toISOString(),
  };
  const { orgid, workspaces, scopes } = key;
  const token = await issueApiKey({
    id: key.keyid,
    root,
    orgid,
    workspaces,
    scopes,
    issuedAt,
    lifetimeSeconds,
    isRegistered: true,
  });
  await insertKey(key);
  return { ...key, token, ...(warnings && { warnings }) };
}

/** The error lists what the creator lacks. */
function requireNoMoreThan(caller: Caller, { scopes, workspaces }: CreateKeyBody): void {
  const wanted = workspaces === '*' ? ['*'] : workspaces;
  const excess = [
    ...findLacking(caller, scopes, '*'),
    ...wanted.filter((workspace) => !mayUseWorkspace(caller, workspace)).map((id) => `workspace ${id}`),
    ...wanted.flatMap((workspace) => findLackingIn(caller, scopes, workspace)),
  ];
  if (excess.length === 0) return;
  const detail = `A key may do what its creator may, or less. The credentials lack: ${[...new Set(excess)].join(', ')}.`;
  throw new ServiceError('permission_denied', { detail });
}

/** What the caller may do in another workspace, but not in this one. */
const findLackingIn = (caller: Caller, scopes: CreateKeyBody['scopes'], workspace: string): string[] =>
  workspace === '*' || !mayUseWorkspace(caller, workspace)
    ? []
    : findLacking(caller, scopes, [workspace])
        .filter((scope) => caller.scopes.has(scope))
        .map((scope) => `${scope} in workspace ${workspace}`);

interface Lifetime {
  readonly lifetimeSeconds: number;
  readonly warnings?: KeyWarning[];
}

/**
 * A key that expires soon must not extend its life by creating another, so a default expiry is cut to that of
 * the creator.
 */
function lifetime(caller: Caller, body: CreateKeyBody, issuedAt: number): Lifetime {
  const { member, seconds } = wantedLifetime(body, issuedAt);
  const secondsMax = (caller.expiresAt ?? Number.POSITIVE_INFINITY) - issuedAt;
  if (seconds <= secondsMax || mayExtend(caller, body)) return { lifetimeSeconds: seconds };
  const end = new Date((issuedAt + secondsMax) * 1_000).toISOString();
  if (member !== undefined)
    throw new ServiceError('permission_denied', {
      detail: `A key ends no later than its creator, at ${end}, which \`${member}\` is beyond. The credentials lack: apikeys:extend.`,
    });
  const detail = `is ${end}, when its creator ends, and not ${daysDefault} days away: the creator lacks apikeys:extend.`;
  const warning: KeyWarning = { pointer: '/body/expires_at', code: 'ends_with_creator', detail };
  return { lifetimeSeconds: secondsMax, warnings: [warning] };
}

const mayExtend = (caller: Caller, { workspaces }: CreateKeyBody): boolean =>
  findLacking(caller, ['apikeys:extend'], workspaces).length === 0;

function wantedLifetime(body: CreateKeyBody, issuedAt: number) {
  const { expires_in_days: days, expires_at: end } = body;
  if (end === undefined)
    return {
      member: days === undefined ? undefined : 'expires_in_days',
      seconds: (days ?? daysDefault) * daySeconds,
    };
  const seconds = Math.floor(Date.parse(end) / 1_000) - issuedAt;
  if (seconds > 0 && seconds <= lifetimeSecondsMax) return { member: 'expires_at', seconds };
  const detail = 'must be in the future, and a year away at most';
  throw new ServiceError('validation_failed', { errors: [{ pointer: '/body/expires_at', detail }] });
}
