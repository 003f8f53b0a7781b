// What a caller does with the signing secrets of its workspace: set a new one, show when they were created
// and expire, remove them all.
import { randomBytes } from 'node:crypto';
import { type Caller, requireWorkspace } from '#lib/access/caller.ts';
import { ServiceError } from '#lib/errors.ts';
import { type Secret, secret } from '#lib/secret.ts';
import { rememberedSecretsMs, secretsChanged } from './changes.ts';
import { type DecryptedSecret, decryptSecrets, encryptSecrets } from './encrypted-secret.ts';
import { deleteSecrets, readSecrets, type StoredSecrets, writeSecrets } from './secret-items.ts';
import {
  type CreatedSecret,
  isInForce,
  isOfWebhook,
  isStandardSecret,
  type NewSecretBody,
  type SecretScope,
  type SigningSecret,
  toWireSecret,
} from './signing-secret.ts';

export type RequestedScope = Omit<SecretScope, 'orgid'>;

const keptHoursDefault = 24;
/** Secrets that are valid at the same time; one more ends the oldest. */
const secretsMax = 5;
const secretBytes = 32;

/** The former secrets stay valid for a while, so that senders and receivers can change at different times. */
export async function setSecret(
  caller: Caller,
  requested: RequestedScope,
  body: NewSecretBody,
  at: string,
): Promise<CreatedSecret> {
  requireStandardForm(requested, body);
  const scope = ownScope(caller, requested);
  const stored = await readSecrets(scope);
  const former = stored ? await decryptSecrets(scope, stored, Date.parse(at)) : [];
  // The request was repeated after a lost response: the secret is already valid.
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

/** Standard Webhooks sign with the bytes of a secret; the sources of triggers have secrets of any form. */
function requireStandardForm({ trigger }: RequestedScope, { secret }: NewSecretBody): void {
  if (trigger || secret === undefined || isStandardSecret(secret)) return;
  const detail = 'must be "whsec_" and 24 to 64 bytes in base64';
  throw new ServiceError('validation_failed', { errors: [{ pointer: '/body/secret', detail }] });
}

/** The clock is read after the write, because other processes may have read the former secrets until then. */
function created(scope: SecretScope, all: readonly DecryptedSecret[]) {
  const delayMs = isOfWebhook(scope) ? rememberedSecretsMs : 0;
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
  all: readonly DecryptedSecret[],
  before: StoredSecrets | undefined,
): Promise<void> {
  const sealed = await encryptSecrets(scope, (before?.version ?? 0) + 1, all);
  if (await writeSecrets(scope, sealed)) return secretsChanged(scope);
  throw new ServiceError('version_conflict', { detail: 'Another secret was set at the same moment.' });
}

const withoutSecret = ({ secret: _, ...entry }: DecryptedSecret) => entry;

/** Never extends the validity of a secret. */
function endingBy(known: DecryptedSecret, untilMs: number): DecryptedSecret {
  const ends = Math.min(untilMs, known.expires_at === undefined ? untilMs : Date.parse(known.expires_at));
  return { ...known, expires_at: new Date(ends).toISOString() };
}

const notFound = () =>
  new ServiceError('signing_secret_not_found', { detail: 'No signing secret was set here.' });
