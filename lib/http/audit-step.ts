// Leaves the audit record of a request once its answer is known and before it goes out. What a record may say is in
// `lib/audit/audit-record.ts`, and how it gets into the trail in `lib/audit/record-lines.ts`.

import type { Caller } from '#lib/access/caller.ts';
import type { AuditEntry } from '#lib/audit/audit-record.ts';
import { newDenialBudget } from '#lib/audit/denial-budget.ts';
import { printRecord } from '#lib/audit/print-record.ts';
import type { ErrorCode } from '#lib/errors.ts';
import { isAudited, type Route } from './route.ts';

interface Happened {
  readonly requestId: string;
  readonly startedAt: number;
  readonly caller: Caller | undefined;
  readonly workspaceid: string | undefined;
  /** Path parameters as they came. */
  readonly params: Readonly<Record<string, string | undefined>>;
  readonly status: number;
  readonly code: ErrorCode | undefined;
  /** The `Location` of what was made. */
  readonly location: string | undefined;
}

const mayRecordDenial = newDenialBudget();

export function audit(route: Route, happened: Happened): void {
  if (!isAudited(route, happened.status)) return;
  if (!happened.caller && !mayRecordDenial(Date.now())) return;
  printRecord(entryOf(route, happened));
}

function entryOf(route: Route, { caller, workspaceid, params, ...happened }: Happened): AuditEntry {
  return {
    at: new Date(happened.startedAt).toISOString(),
    requestid: happened.requestId,
    operation: route.auditName ?? route.entry,
    caller: caller?.id ?? 'anonymous',
    orgid: caller?.orgid,
    workspaceid: caller && workspaceid,
    resource: resourceOf(params) ?? happened.location?.split('/').at(-1),
    status: happened.status,
    code: happened.code,
  };
}

/** The parameter that says most; one that does not look like an id, and so names nothing, stays out. */
function resourceOf(params: Happened['params']): string | undefined {
  const names = [
    'a2aregistryid',
    'registryId',
    'keyid',
    'workflow_id',
    'trigger_id',
    'flowId',
    'flow_id',
    'name',
    'id',
    'environment',
  ];
  const value = names.map((name) => params[name]).find((given) => given !== undefined);
  return value !== undefined && /^[A-Za-z0-9._-]{1,70}$/.test(value) ? value : undefined;
}
