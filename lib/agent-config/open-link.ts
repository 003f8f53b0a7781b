// What a link stands for: its run, whether it is still good, and which connections it may store. A link that is not
// known, of a run that is not, or of a principal who can act no more, is the same as none.
import * as z from 'zod';
import { hasEnded } from '#lib/access/key-in-force.ts';
import { computeExternalId } from '#lib/connection/external-id.ts';
import { type MissingConnection, missingConnections } from '#lib/connection/missing.ts';
import { ServiceError } from '#lib/errors.ts';
import { runId } from '#lib/ids.ts';
import { requireVisitorQuota } from '#lib/limits/visitor-quota.ts';
import { hashToken, type LinkClaims, readToken } from '#lib/run/configuration-link.ts';
import { readRun, readRunEvents } from '#lib/run/run-items.ts';
import type { RunNeeds } from '#lib/run/run-needs.ts';
import type { StoredRun } from '#lib/run/stored-run.ts';
import { isSpent } from './spent-link-items.ts';

export interface LinkReference {
  readonly taskId: string;
  readonly token: string;
}

export interface OpenedLink extends LinkReference {
  readonly state: 'good' | 'used' | 'expired';
  readonly run: StoredRun;
  readonly claims: LinkClaims;
  readonly hash: string;
}

/** The holder of an expired link can have it replaced for a day: see `replace-link.ts`. */
const replaceableSeconds = 86_400;

export const spendableUntil = ({ expiresAt }: Pick<LinkClaims, 'expiresAt'>): number =>
  expiresAt + 2 * replaceableSeconds;

/** Throws `configuration_link_not_found`. */
export async function openLink(reference: LinkReference, nowMs: number): Promise<OpenedLink> {
  const { taskId, token } = reference;
  const run = runId.safeParse(taskId).success ? await readRun(taskId) : undefined;
  const claims = run && (await readToken(run, token));
  const nowSeconds = nowMs / 1_000;
  if (!run || !claims || nowSeconds > claims.expiresAt + replaceableSeconds) throw unknownLink();
  const hash = hashToken(token);
  const [isOfNobody, isUsed] = await Promise.all([
    hasEnded({ id: run.caller_id, orgid: run.caller_orgid }),
    isSpent({ run_id: run.run_id, hash }),
  ]);
  if (isOfNobody) throw unknownLink();
  const isExpired = nowSeconds >= claims.expiresAt;
  return { ...reference, run, claims, hash, state: isUsed ? 'used' : isExpired ? 'expired' : 'good' };
}

const unknownLink = () =>
  new ServiceError('configuration_link_not_found', {
    detail: 'It may have been copied in part, or be too old. Ask the agent for a new link.',
  });

/** Forms are counted by link too, so that one address with many people does not hide one link that is tried often. */
export async function requireLinkQuota({ hash }: OpenedLink, nowMs: number): Promise<void> {
  await requireVisitorQuota('LINK', hash, nowMs);
}

export interface WantedConnection extends MissingConnection {
  /** Whether this link may store it: connections of a workspace take a principal that may manage them. */
  readonly isStorable: boolean;
  /** What the trust policy of a role of AWS must require. */
  readonly externalId?: string;
}

/** What the page asks for first: not an account that is connected through a client that is missing itself. */
export const chooseCurrent = (wanted: readonly WantedConnection[]): WantedConnection | undefined =>
  wanted.find(({ isStorable, oauth }) => isStorable && !wanted.some(({ name }) => name === oauth?.client));

const storedNeeds = z.object({ connections: z.array(z.looseObject({ connection: z.string() })) });

/** What the run still waits for; none for a run that does not wait. */
export async function findWanted({ run, claims }: OpenedLink): Promise<WantedConnection[]> {
  const needs = await readNeeds(run);
  if (needs === undefined) return [];
  const owner = toOwner(run);
  const missing = await missingConnections(toDeclarations(needs), owner);
  return await Promise.all(
    missing.map(async (wanted) => ({
      ...wanted,
      isStorable: wanted.scope === 'user' || claims.isForWorkspace,
      ...(wanted.type === 'aws_sigv4' && {
        externalId: await computeExternalId(owner, wanted.scope, wanted.name),
      }),
    })),
  );
}

/** Of a run that is resumed: the event of its resumption, and that of the worker that takes it. */
const resumingEvents = 2;

/**
 * A run that is resumed because one of several values was stored looks for the others before it begins, and then
 * pauses again. Meanwhile it is working, and needs what it needed.
 */
async function readNeeds(run: StoredRun): Promise<string | undefined> {
  if (run.status !== 'auth_required' && run.status !== 'working') return undefined;
  const events = await readRunEvents(run, run.generation - 1 - resumingEvents);
  const paused = events.findLast(({ needs }) => needs !== undefined);
  return paused?.needs;
}

/** They were written by this service, from a declaration that was checked. */
function toDeclarations(text: string): Record<string, RunNeeds['connections'][number]> {
  const needs: RunNeeds = JSON.parse(text);
  storedNeeds.parse(needs);
  return Object.fromEntries(needs.connections.map((need) => [need.connection, need]));
}

/** A connection of scope `user` is that of the principal of the run, whoever has the link. */
export const toOwner = ({ orgid, workspaceid, caller_id: user }: StoredRun) => ({ orgid, workspaceid, user });
