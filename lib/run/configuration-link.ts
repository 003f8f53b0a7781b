// The link to the page on which a person stores what a run needs. Its token is a MAC under a key of the tenant over
// the run, its principal and an expiry, so it is made whenever the principal reads the run, without a write, and
// nobody who reads the tables can make one. That it was used is stored, as its hash (`spent-link-items.ts` of
// `lib/agent-config`). Why: docs/decisions/0033-configuration-links.md.
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { type Caller, findScopes } from '#lib/access/caller.ts';
import { derivedKey } from '#lib/dynamo/derived-key.ts';
import { configurationUrl } from './missing-connections.ts';
import type { RunNeeds } from './run-needs.ts';
import type { StoredEvent, StoredRun } from './stored-run.ts';

/** Whom a link is bound to: the run, its owner, and the principal who started it. None of them ever changes. */
export type LinkedRun = Pick<
  StoredRun,
  'run_id' | 'orgid' | 'workspaceid' | 'a2aregistryid' | 'caller_id' | 'caller_orgid'
>;

export interface LinkClaims {
  /** Seconds since 1970. */
  readonly expiresAt: number;
  /** Whether its principal may also store connections of the workspace, and not only those of its own. */
  readonly isForWorkspace: boolean;
  /** Distinguishes the links of a run that expire at the same time. */
  readonly nonce: string;
}

/** Links that are made within this time are the same one, so that a client that polls is not sent a new one each time. */
const stepSeconds = 5 * 60;
const lifetimeSteps = 3;

/** 10 to 15 minutes from now, in seconds since 1970. */
export const linkExpiry = (nowMs: number): number =>
  (Math.floor(nowMs / 1_000 / stepSeconds) + lifetimeSteps) * stepSeconds;

/**
 * The same events, with a link in the one that says what the run needs now, for its principal alone: whoever else
 * may read the run could use the link to store a value as the principal's.
 */
export async function withConfigurationLinks<E extends StoredEvent>(
  run: LinkedRun & Pick<StoredRun, 'generation'>,
  events: readonly E[],
  caller: Caller,
  nowMs: number,
): Promise<E[]> {
  if (!isPrincipal(run, caller)) return [...events];
  const link = async (event: E) =>
    event.generation < run.generation ? event : await withConfigurationLink(run, event, caller, nowMs);
  return await Promise.all(events.map(link));
}

async function withConfigurationLink<E extends StoredEvent>(
  run: LinkedRun,
  event: E,
  caller: Caller,
  nowMs: number,
): Promise<E> {
  if (event.needs === undefined) return event;
  const needs: RunNeeds = JSON.parse(event.needs);
  const configuration_url = await makeLink(run, {
    expiresAt: linkExpiry(nowMs),
    isForWorkspace: mayStoreForWorkspace(run, caller),
    nonce: event.generation.toString(36),
  });
  return { ...event, needs: JSON.stringify({ ...needs, configuration_url }) };
}

const isPrincipal = ({ caller_id, caller_orgid }: LinkedRun, { id, orgid }: Caller): boolean =>
  caller_id === id && caller_orgid === orgid;

/** As for `PUT /api/v1/connections/{name}`. An agent may be called by other organisations, which never may. */
const mayStoreForWorkspace = ({ orgid, workspaceid }: LinkedRun, caller: Caller): boolean =>
  caller.orgid === orgid && findScopes(caller, workspaceid).has('connections:write');

export const makeLink = async (run: LinkedRun, claims: LinkClaims): Promise<string> =>
  makeLinkUrl(run, await makeToken(run, claims));

export const makeLinkUrl = (run: LinkedRun, token: string): string =>
  `${configurationUrl(run)}&token=${token}`;

export async function makeToken(run: LinkedRun, claims: LinkClaims): Promise<string> {
  const content = [
    claims.expiresAt.toString(36),
    claims.isForWorkspace ? 'workspace' : 'user',
    claims.nonce,
  ].join('.');
  return `${content}.${await macForRun(run, 'link', content)}`;
}

/** Undefined for a token that was not made for this run. One that has expired is accepted: see `expiresAt`. */
export async function readToken(run: LinkedRun, token: string): Promise<LinkClaims | undefined> {
  const [, content = '', expiry = '', scope, nonce = '', mac = ''] =
    /^(([a-z0-9]{1,8})\.(workspace|user)\.([a-z0-9]{1,26}))\.([\w-]{43})$/.exec(token) ?? [];
  if (!isEqual(mac, await macForRun(run, 'link', content))) return undefined;
  return { expiresAt: Number.parseInt(expiry, 36), isForWorkspace: scope === 'workspace', nonce };
}

/** By which a token is stored and recorded: nothing that opens the page can be made of it. */
export const hashToken = (token: string): string => createHash('sha256').update(token).digest('hex');

/** HMAC-SHA-256 in base64url. A MAC of one purpose is good for no other. */
export async function macForRun(
  { orgid, workspaceid, run_id, caller_orgid, caller_id }: LinkedRun,
  purpose: 'link' | 'state' | 'verifier',
  content: string,
): Promise<string> {
  const key = Buffer.from((await derivedKey('configurationLink')).reveal(), 'base64');
  const bound = JSON.stringify([purpose, orgid, workspaceid, run_id, caller_orgid, caller_id, content]);
  return createHmac('sha256', key).update(bound).digest('base64url');
}

export function isEqual(given: string, expected: string): boolean {
  const [left, right] = [Buffer.from(given), Buffer.from(expected)];
  return left.length === right.length && timingSafeEqual(left, right);
}
