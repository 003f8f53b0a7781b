// What a caller does with the signing secrets of its workspace: set a new one, look when there are which, remove them all.
import { randomBytes } from 'node:crypto';
import type { Caller } from '#lib/access/caller.ts';
import { requireWorkspace } from '#lib/access/permission.ts';
import { ServiceError } from '#lib/errors.ts';
import { type Secret, secret } from '#lib/secret.ts';
import { rememberedSecretsMs, secretsChanged } from './changes.ts';
import { type KnownSecret, openSecrets, sealSecrets } from './encrypted-secret.ts';
import { deleteSecrets, readSecrets, type StoredSecrets, writeSecrets } from './secret-items.ts';
import {
  type CreatedSecret,
  isInForce,
  type NewSecretBody,
  type SecretScope,
  type SigningSecret,
  shown,
} from './signing-secret.ts';

export interface AskedPlace {
  readonly workspaceid: string;
  readonly flowid?: string;
}

const keptHoursDefault = 24;
/** In force at the same time; the oldest gives way. */
const secretsMax = 5;
const secretBytes = 32;

/** The former ones stay in force for a while, so that senders and receivers change at their own pace. */
export async function setSecret(
  caller: Caller,
  asked: AskedPlace,
  body: NewSecretBody,
  at: string,
): Promise<CreatedSecret> {
  const place = ownPlace(caller, asked);
  const stored = await readSecrets(place);
  const former = stored ? await openSecrets(place, stored, Date.parse(at)) : [];
  // Sent again because its answer got lost: it is in force already.
  if (body.secret !== undefined && former[0]?.secret.reveal() === body.secret) {
    return created(place, former);
  }
  const made: Secret = secret(body.secret ?? `whsec_${randomBytes(secretBytes).toString('base64')}`);
  const until = Date.parse(at) + (body.keep_former_hours ?? keptHoursDefault) * 3_600_000;
  const kept = former.map((each) => endingBy(each, until)).filter((each) => isInForce(each, Date.parse(at)));
  const all = [{ secret: made, created_at: at }, ...kept].slice(0, secretsMax);
  await write(place, all, stored);
  return { ...created(place, all), ...(body.secret === undefined && { secret: made.reveal() }) };
}

/** Read after the write: whoever has read what was there before, had begun to by now. */
function created(place: SecretScope, all: readonly KnownSecret[]) {
  const delayMs = place.flowid === undefined ? 0 : rememberedSecretsMs;
  return { ...shown(place, all.map(entryOf)), effective_at: new Date(Date.now() + delayMs).toISOString() };
}

export async function showSecret(caller: Caller, asked: AskedPlace, at: string): Promise<SigningSecret> {
  const place = ownPlace(caller, asked);
  const stored = await readSecrets(place);
  if (!stored) throw notFound();
  return shown(
    place,
    stored.entries.filter((entry) => isInForce(entry, Date.parse(at))),
  );
}

export async function removeSecret(caller: Caller, asked: AskedPlace): Promise<void> {
  const place = ownPlace(caller, asked);
  if (!(await deleteSecrets(place))) throw notFound();
  secretsChanged(place);
}

function ownPlace(caller: Caller, asked: AskedPlace): SecretScope {
  requireWorkspace(caller, asked.workspaceid);
  return { ...asked, orgid: caller.orgid };
}

async function write(
  place: SecretScope,
  all: readonly KnownSecret[],
  before: StoredSecrets | undefined,
): Promise<void> {
  const sealed = await sealSecrets(place, (before?.version ?? 0) + 1, all);
  if (await writeSecrets(place, sealed)) return secretsChanged(place);
  throw new ServiceError('version_conflict', { detail: 'Another secret was set at the same moment.' });
}

const entryOf = ({ secret: _, ...entry }: KnownSecret) => entry;

/** Never later than it would have ended anyway. */
function endingBy(known: KnownSecret, untilMs: number): KnownSecret {
  const ends = Math.min(untilMs, known.expires_at === undefined ? untilMs : Date.parse(known.expires_at));
  return { ...known, expires_at: new Date(ends).toISOString() };
}

const notFound = () =>
  new ServiceError('signing_secret_not_found', { detail: 'No signing secret was set here.' });
