// The sessions of assumed roles in the memory of this process, until shortly before they expire, and the signatures
// that are made with them. Loaded with the first request that is signed.
import type { Credential } from '#lib/egress/carried-credential.ts';
import type { GuardedFetch } from '#lib/egress/guarded-fetch.ts';
import { signRequest } from '#lib/egress/sign-aws-request.ts';
import { type AwsScopes, findAwsScope } from '#lib/flow/format/aws-scope.ts';
import { NodeError } from '#lib/flow/format/node-error.ts';
import { type AwsSession, assumeRole } from './assume-role.ts';
import type { AwsRole } from './credential.ts';
import type { OpenConnection } from './find.ts';
import type { TokenMemory } from './token-memory.ts';

export interface NamedRole extends Pick<OpenConnection, 'id' | 'owner' | 'computeExternalId'> {
  readonly name: string;
  readonly role: AwsRole;
  /** What the flow declares. */
  readonly aws: AwsScopes | undefined;
}

/** A session that expires sooner may expire in transit. */
const marginMs = 180_000;

/** Throws `NodeError` (codes `connection.*`). */
export async function createSignature(
  memory: TokenMemory,
  fetch: GuardedFetch,
  named: NamedRole,
  url: URL,
): Promise<Credential> {
  const scope = requireScope(named, url);
  const session = await getSession(memory, fetch, named);
  return {
    to: 'signature',
    sign: signRequest(session, scope, memory.clock.now),
    secrets: [session.sessionToken, session.secretAccessKey],
  };
}

/** Both the flow and the owner of the role must have named the service and the region. */
function requireScope({ name, role, aws }: NamedRole, { hostname, host }: URL) {
  const scope = aws && findAwsScope(hostname, aws);
  if (scope && role.services.includes(scope.service) && role.regions.includes(scope.region)) return scope;
  const message = `The connection "${name}" is not for the AWS service and region of the host ${host}.`;
  throw new NodeError('connection.host', message);
}

async function getSession(memory: TokenMemory, fetch: GuardedFetch, named: NamedRole): Promise<AwsSession> {
  const known = memory.sessions.get(named.id);
  if (known && known.expiresAt - marginMs > memory.clock.now()) return known;
  const pending = memory.pendingSessions.get(named.id) ?? start(memory, fetch, named);
  return await pending;
}

/** By the id of the connection value, and never by role: the session is that of the owner of the connection. */
function start(memory: TokenMemory, fetch: GuardedFetch, named: NamedRole): Promise<AwsSession> {
  const pending = ask(memory, fetch, named)
    .then((session) => {
      memory.sessions.set(named.id, session);
      return session;
    })
    .finally(() => memory.pendingSessions.delete(named.id));
  memory.pendingSessions.set(named.id, pending);
  return pending;
}

async function ask({ clock }: TokenMemory, fetch: GuardedFetch, named: NamedRole): Promise<AwsSession> {
  const { name, role, owner } = named;
  const externalId = await named.computeExternalId().catch((cause: unknown) => {
    throw new NodeError('connection.unavailable', `The connection "${name}" cannot be read.`, { cause });
  });
  return await assumeRole(fetch, { name, roleArn: role.role_arn, externalId, owner }, clock.now);
}
