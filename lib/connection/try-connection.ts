// Tries a connection: sends one request with its credential to one of its hosts, and returns the status of the response
// alone. So whoever stores a connection knows whether the host accepts it, before a run needs it.
import * as z from 'zod';
import { type Caller, requireWorkspace } from '#lib/access/caller.ts';
import { parseEgressPolicy } from '#lib/egress/egress-policy.ts';
import { createGuardedFetch, type GuardedFetch } from '#lib/egress/guarded-fetch.ts';
import { networkFailure } from '#lib/egress/network-failure.ts';
import { optionalEnv } from '#lib/env.ts';
import { ServiceError } from '#lib/errors.ts';
import { connectionScope, resolveScope } from '#lib/flow/format/connection.ts';
import { isListed } from '#lib/flow/format/egress.ts';
import { NodeError } from '#lib/flow/format/node-error.ts';
import { webUrl } from '#lib/web-url.ts';
import { createAuthorizedFetch } from './authorized-fetch.ts';
import { createConnectionFinder, type OpenConnection } from './find.ts';
import { declareInFull } from './full-declaration.ts';
import { connectionNotFound, toConnectionOwner } from './own-connection.ts';
import { newTokenMemory } from './token-memory.ts';

export const tryBody = z
  .strictObject({
    scope: connectionScope.optional().meta({ description: 'Default: organization.' }),
    url: webUrl({ protocol: /^https?$/, error: 'must be an https URL', max: 2_048 })
      .optional()
      .meta({
        description:
          'At a host of the connection. Default: the path `/` of the first host that has no wildcard.',
        example: 'https://api.crm.example/v1/me',
      }),
    method: z.enum(['GET', 'HEAD']).optional().meta({ description: 'Default: GET.' }),
  })
  .meta({ id: 'TryConnection' });

export const triedConnection = z
  .strictObject({
    host: z.string(),
    status: z.int().optional().meta({
      description: 'With which the host has answered; 401 and 403 say that it refuses the credential.',
    }),
    error: z
      .strictObject({ code: z.string(), message: z.string() })
      .optional()
      .meta({ description: 'Why there is no status, with a code of [flows](flows.md#errors).' }),
    duration_ms: z.int(),
  })
  .meta({ id: 'TriedConnection' });
type TriedConnection = z.infer<typeof triedConnection>;

interface TryRequest extends z.infer<typeof tryBody> {
  readonly workspaceid: string;
  readonly name: string;
}

/** The function may take 20 s, of which a token may take a part. */
const timeoutMs = 12_000;
const memory = newTokenMemory();
let guarded: GuardedFetch | undefined;

export async function tryConnection(
  caller: Caller,
  { workspaceid, name, method = 'GET', ...request }: TryRequest,
): Promise<TriedConnection> {
  requireWorkspace(caller, workspaceid);
  const scope = resolveScope(request);
  const find = createConnectionFinder(toConnectionOwner(caller, workspaceid));
  // Of the declaration only the scope matters to whoever finds the connection.
  const connection = await find(name, { type: 'http_bearer', scope, hosts: [] });
  if (!connection) throw connectionNotFound(name, scope);
  const url = chooseUrl(connection.value.hosts, request.url);
  const startedAt = Date.now();
  const outcome = await send(name, connection, url, method);
  return { host: url.host, ...outcome, duration_ms: Date.now() - startedAt };
}

function chooseUrl(hosts: readonly string[], wanted: string | undefined): URL {
  const host = hosts.find((each) => !each.startsWith('*.'));
  const url = URL.parse(wanted ?? `https://${host}/`);
  if (wanted === undefined && host === undefined)
    throw badUrl('must be given, because each host of the connection has a wildcard');
  if (url && isListed(url, hosts)) return url;
  throw badUrl(`must be at a host of the connection: ${hosts.join(', ')}`.slice(0, 300));
}

const badUrl = (detail: string) =>
  new ServiceError('validation_failed', { errors: [{ pointer: '/body/url', detail }] });

async function send(
  name: string,
  connection: OpenConnection,
  url: URL,
  method: string,
): Promise<Pick<TriedConnection, 'status' | 'error'>> {
  const signal = AbortSignal.timeout(timeoutMs);
  guarded ??= createGuardedFetch(parseEgressPolicy(optionalEnv('EGRESS_ALLOW_PRIVATE')));
  try {
    const { fetch } = await createAuthorizedFetch(
      {
        fetch: guarded,
        declared: { [name]: declareInFull(connection.value) },
        find: async () => connection,
        memory,
      },
      name,
    );
    // A redirect is an answer: only the host that was named is asked.
    const headers = { 'user-agent': 'agent-flow' };
    const response = await fetch(url, { method, headers, redirect: 'manual', signal });
    await response.body?.cancel();
    return { status: response.status };
  } catch (error) {
    const failure = networkFailure(error, { host: url.host, signal, noAnswer: 'http.network' }) ?? error;
    if (failure instanceof NodeError) return { error: { code: failure.code, message: failure.message } };
    throw failure;
  }
}
