// Writes the audit record of a request when its answer is known, before it is sent.
// `lib/audit/audit-record.ts` says what a record may contain, `lib/audit/record-lines.ts` brings it into the
// trail.

import type { Caller } from '#lib/access/caller.ts';
import { type AuditEntry, printRecord } from '#lib/audit/audit-record.ts';
import type { ErrorCode } from '#lib/errors.ts';
import type { Route } from './route.ts';

interface AuditedRequest {
  readonly requestId: string;
  readonly startedAt: number;
  readonly caller: Caller | undefined;
  readonly workspaceid: string | undefined;
  /** Path parameters, before validation. */
  readonly params: Readonly<Record<string, string | undefined>>;
  readonly status: number;
  readonly code: ErrorCode | undefined;
  /** The `Location` of a new resource. */
  readonly location: string | undefined;
}

const burst = 10;
const perSecond = 1;

/**
 * A token bucket for denials without a caller: such requests cost their sender nothing, so not each of them
 * may cost a record.
 */
export function newDenialBudget() {
  let tokens = burst;
  let filledAt = 0;
  return (nowMs: number): boolean => {
    tokens = Math.min(burst, tokens + (Math.max(0, nowMs - filledAt) / 1_000) * perSecond);
    filledAt = nowMs;
    if (tokens < 1) return false;
    tokens -= 1;
    return true;
  };
}

const mayRecordDenial = newDenialBudget();

/** Call it only if `isAudited` says so: it checks nothing but the budget of denials. */
export function audit(route: Route, request: AuditedRequest): void {
  if (!request.caller && !mayRecordDenial(Date.now())) return;
  printRecord(toEntry(route, request));
}

function toEntry(route: Route, { caller, workspaceid, params, ...request }: AuditedRequest): AuditEntry {
  return {
    at: new Date(request.startedAt).toISOString(),
    requestid: request.requestId,
    operation: route.auditName ?? route.entry,
    caller: caller?.id ?? 'anonymous',
    root: caller?.root,
    orgid: caller?.orgid,
    workspaceid: caller && workspaceid,
    resource: findResource(params) ?? request.location?.split('/').at(-1),
    status: request.status,
    code: request.code,
  };
}

/** The most specific parameter, unless it cannot be an id. */
function findResource(params: AuditedRequest['params']): string | undefined {
  const names = [
    'a2aregistryid',
    'registryId',
    'keyid',
    'userid',
    'invitationid',
    'sessionid',
    'workflow_id',
    'trigger_id',
    'flowId',
    'flow_id',
    'name',
    'id',
    'environment',
    'workspace_id',
  ];
  const value = names.map((name) => params[name]).find((given) => given !== undefined);
  return value !== undefined && /^[A-Za-z0-9._-]{1,70}$/.test(value) ? value : undefined;
}
