// A new run of a build: its header, with the lease already held when it runs in the request that starts it.
import type { Caller } from '#lib/access/caller.ts';
import { newRunId } from '#lib/ids.ts';
import type { StoredRow } from '#lib/registry/stored-row.ts';
import { graceMs } from './abandoned.ts';
import { keepUntil } from './keep-until.ts';
import type { StoredRun } from './stored-run.ts';

export interface Start {
  /** Of the run; drawn when absent. */
  readonly runId?: string;
  readonly row: StoredRow;
  readonly caller: Pick<Caller, 'id' | 'orgid'>;
  readonly trigger: StoredRun['trigger'];
  readonly mode: StoredRun['mode'];
  readonly environment: StoredRun['environment'];
  /** Id of the trigger, where one was named. */
  readonly triggerId?: string;
  readonly contextId?: string;
  readonly input?: string;
  /** Told once the run is over; whoever stores the run calls `notifyWhenOver` before. */
  readonly callbackUrl?: string;
  readonly fingerprint?: string;
  /** RFC 3339, where that was before now. */
  readonly acceptedAt?: string;
  /** Ms since 1970. */
  readonly now: number;
  readonly limitMs: number;
  readonly lease?: string;
}

export function newRun(start: Start): StoredRun {
  const run_id = start.runId ?? newRunId();
  const at = new Date(start.now).toISOString();
  return {
    run_id,
    status: 'submitted',
    generation: 0,
    lease: start.lease,
    lease_until: start.lease === undefined ? 0 : start.now + start.limitMs + graceMs,
    mode: start.mode,
    trigger: start.trigger,
    trigger_id: start.triggerId,
    environment: start.environment,
    orgid: start.row.orgid,
    workspaceid: start.row.workspaceid,
    flowid: start.row.flowid,
    a2aregistryid: start.row.a2aregistryid,
    build_no: start.row.build_no,
    payload_id: start.row.payload_id,
    caller_id: start.caller.id,
    caller_orgid: start.caller.orgid,
    context_id: start.contextId ?? newRunId(),
    input: start.input,
    callback_url: start.callbackUrl,
    fingerprint: start.fingerprint,
    deadline: start.now + start.limitMs,
    accepted_at: start.acceptedAt,
    created_at: at,
    updated_at: at,
    ttl: keepUntil(start.now),
  };
}
