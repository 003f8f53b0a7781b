// Stores the value that a link was opened for. Using up the link and storing the value are one transaction: of several
// requests with one link exactly one stores something, and a link whose value could not be stored stays good.
import { printRecord } from '#lib/audit/audit-record.ts';
import type { ConnectionBody } from '#lib/connection/connection.ts';
import { putMissingConnection } from '#lib/connection/connection-items.ts';
import { encryptConnection } from '#lib/connection/encrypted-connection.ts';
import { controlTable, runsTable } from '#lib/dynamo/client.ts';
import { isFailedConditionReason } from '#lib/dynamo/conditions.ts';
import { transactWriteTables } from '#lib/dynamo/transactions.ts';
import { ServiceError } from '#lib/errors.ts';
import { newPayloadId } from '#lib/ids.ts';
import { wakeWaiting } from '#lib/run/wake-waiting.ts';
import { type OpenedLink, spendableUntil, toOwner, type WantedConnection } from './open-link.ts';
import { spendAction } from './spent-link-items.ts';

interface StoreRequest {
  readonly requestId: string;
  /** RFC 3339. */
  readonly at: string;
}

/** `used` when another request was first, `present` when the connection was stored in another way meanwhile. */
export type StoreOutcome = 'stored' | 'used' | 'present';

export async function storeValue(
  link: OpenedLink,
  wanted: WantedConnection,
  body: ConnectionBody,
  request: StoreRequest,
): Promise<StoreOutcome> {
  const outcome = await spendAndStore(link, wanted, body, request.at);
  if (outcome !== 'stored') return outcome;
  record(link, wanted, request);
  await wakeWaiting({ ...toOwner(link.run), scope: wanted.scope, name: wanted.name });
  return 'stored';
}

async function spendAndStore(
  link: OpenedLink,
  { name, scope }: WantedConnection,
  body: ConnectionBody,
  at: string,
): Promise<StoreOutcome> {
  const { run, claims, hash } = link;
  const owner = toOwner(run);
  const { type, label, hosts } = body;
  const connection = { name, type, scope, label, hosts, updated_at: at, updated_by: run.caller_id };
  const sealed = await encryptConnection(owner, scope, name, body);
  const reasons = await transactWriteTables([
    [runsTable, spendAction({ run_id: run.run_id, hash, ttl: spendableUntil(claims) })],
    [controlTable, putMissingConnection(owner, { ...connection, version: newPayloadId(), sealed })],
  ]);
  if (!reasons) return 'stored';
  if (isFailedConditionReason(reasons[0])) return 'used';
  if (isFailedConditionReason(reasons[1])) return 'present';
  throw new ServiceError('dependency_unavailable', { cause: 'The connection is contended.' });
}

/**
 * In the trail of the principal's organisation, which is another than that of the agent where its visibility allows
 * that: neither sees the other's ids.
 */
function record(
  { run, hash }: OpenedLink,
  { name }: WantedConnection,
  { requestId, at }: StoreRequest,
): void {
  printRecord({
    at,
    requestid: requestId,
    operation: 'agent-config/store',
    caller: run.caller_id,
    orgid: run.caller_orgid,
    ...(run.caller_orgid === run.orgid && { workspaceid: run.workspaceid }),
    resource: name,
    link: `${run.run_id}#${hash.slice(0, 12)}`,
    status: 303,
  });
}
