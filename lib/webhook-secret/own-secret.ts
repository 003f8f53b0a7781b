// What a caller does with the signing secrets of its workspace: set a new one, look when there are which,
// remove them all.
import { randomBytes } from 'node:crypto';
import { type Caller, requireWorkspace } from '#lib/access/caller.ts';
import { ServiceError } from '#lib/errors.ts';
import { type Secret, secret } from '#lib/secret.ts';
import { rememberedSecretsMs, secretsChanged } from './changes.ts';
import { decryptSecrets, encryptSecrets, type KnownSecret } from './encrypted-secret.ts';
import { deleteSecrets, readSecrets, type StoredSecrets, writeSecrets } from './secret-items.ts';
import {
  type CreatedSecret,
  isInForce,
  type NewSecretBody,
  type SecretScope,
  type SigningSecret,
  toWireSecret,
} from './signing-secret.ts';

export interface RequestedScope {
  readonly workspaceid: string;
  readonly flowid?: string;
}

const keptHoursDefault = 24;
/** Secrets in force at the same time; with one more the oldest ends. */
const secretsMax = 5;
const secretBytes = 32;

/** The former ones stay in force for a while, so that senders and receivers change at their own pace. */
export async function setSecret(
  caller: Caller,
  requested: RequestedScope,
  body: NewSecretBody,
  at: string,
): Promise<CreatedSecret> {
  const scope = ownScope(caller, requested);
  const stored = await readSecrets(scope);
  const former = stored ? await decryptSecrets(scope, stored, Date.parse(at)) : [];
  // The request was sent again because its answer got lost: the secret is in force already.
  if (body.secret !== undefined && former[0]?.secret.reveal() === body.secret) {
    return created(scope, former);
  }
  const made: Secret = secret(body.secret ?? `whsec_${randomBytes(secretBytes).toString('base64')}`);
  const until = Date.parse(at) + (body.keep_former_hours ?? keptHoursDefault) * 3_600_000;
  const kept = former.map((each) => endingBy(each, until)).filter((each) => isInForce(each, Date.parse(at)));
  const all = [{ secret: made, created_at: at }, ...kept].slice(0, secretsMax);
  await write(scope, all, stored);
  return { ...created(scope, all), ...(body.secret === undefined && { secret: made.reveal() }) };
}

/** The clock is read after the write: a process that read the former secrets had begun to by now. */
function created(scope: SecretScope, all: readonly KnownSecret[]) {
  const delayMs = scope.flowid === undefined ? 0 : rememberedSecretsMs;
  return {
    ...toWireSecret(scope, all.map(withoutSecret)),
    effective_at: new Date(Date.now() + delayMs).toISOString(),
  };
}

export async function showSecret(
  caller: Caller,
  requested: RequestedScope,
  at: string,
): Promise<SigningSecret> {
  const scope = ownScope(caller, requested);
  const stored = await readSecrets(scope);
  if (!stored) throw notFound();
  return toWireSecret(
    scope,
    stored.entries.filter((entry) => isInForce(entry, Date.parse(at))),
  );
}

export async function removeSecret(caller: Caller, requested: RequestedScope): Promise<void> {
  const scope = ownScope(caller, requested);
  if (!(await deleteSecrets(scope))) throw notFound();
  secretsChanged(scope);
}

function ownScope(caller: Caller, requested: RequestedScope): SecretScope {
  requireWorkspace(caller, requested.workspaceid);
  return { ...requested, orgid: caller.orgid };
}

async function write(
  scope: SecretScope,
  all: readonly KnownSecret[],
  before: StoredSecrets | undefined,
): Promise<void> {
  const sealed = await encryptSecrets(scope, (before?.version ?? 0) + 1, all);
  if (await writeSecrets(scope, sealed)) return secretsChanged(scope);
  throw new ServiceError('version_conflict', { detail: 'Another secret was set at the same moment.' });
}

const withoutSecret = ({ secret: _, ...entry }: KnownSecret) => entry;

/** Never later than it would have ended anyway. */
function endingBy(known: KnownSecret, untilMs: number): KnownSecret {
  const ends = Math.min(untilMs, known.expires_at === undefined ? untilMs : Date.parse(known.expires_at));
  return { ...known, expires_at: new Date(ends).toISOString() };
}

const notFound = () =>
  new ServiceError('signing_secret_not_found', { detail: 'No signing secret was set here.' });
