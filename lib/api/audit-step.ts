// Leaves the audit record of a request once its answer is known. What a record may say is in `lib/access/audit/audit-record.ts`.
import { newDenialBudget } from '#lib/access/audit/denial-budget.ts';
import { appendRecord, type Entry } from '#lib/access/audit/store.ts';
import type { Caller } from '#lib/access/caller.ts';
import type { ErrorCode } from '#lib/errors.ts';
import type { Log } from '#lib/log.ts';
import { count } from '#lib/metrics.ts';
import { isAudited, type Route } from './route.ts';

interface Happened {
  readonly requestId: string;
  readonly startedAt: number;
  readonly log: Log;
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

/** The answer stands whether or not the record can be kept: what was done cannot be undone, and what was denied stays denied. */
export async function audit(route: Route, happened: Happened): Promise<void> {
  if (!isAudited(route, happened.status)) return;
  if (!happened.caller && !mayRecordDenial(Date.now())) return;
  try {
    await appendRecord(entryOf(route, happened));
  } catch (error) {
    happened.log.error('audit record lost', {
      status: happened.status,
      caller: happened.caller?.id,
      reason: error instanceof Error ? `${error.name}: ${error.message}` : 'unknown',
    });
    count('AuditLost', {});
  }
}

function entryOf(route: Route, { caller, workspaceid, params, ...happened }: Happened): Entry {
  return {
    at: new Date(happened.startedAt).toISOString(),
    requestid: happened.requestId,
    operation: route.entry,
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
  ];
  const value = names.map((name) => params[name]).find((given) => given !== undefined);
  return value !== undefined && /^[A-Za-z0-9._-]{1,70}$/.test(value) ? value : undefined;
}
