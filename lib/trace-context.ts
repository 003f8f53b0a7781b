// The trace that a run belongs to (W3C Trace Context, Recommendation of 23 November 2021): what is read of a request,
// and what goes out with the requests of nodes. The ids of spans follow from what they stand for, so a parent is known
// before its span is exported, and a second process, or a second export, has the same ids.
import { createHash } from 'node:crypto';

export interface TraceContext {
  readonly traceparent: string;
  readonly tracestate?: string | undefined;
}

/** A later version may add members after those of version 00. */
const pattern = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const zeros = /^0+$/;
/** The flags that this version knows: sampled, and random trace id. The others must be sent as zero. */
const knownFlags = 0b11;

/** Undefined for a `traceparent` that is malformed, which is ignored (§2.2.2), and with it the `tracestate` (§3.3). */
export function parseTraceContext(
  traceparent: string | undefined,
  tracestate?: string | undefined,
): TraceContext | undefined {
  const [, version, traceId = '', parentId = '', flags = '', rest] =
    pattern.exec(traceparent?.trim() ?? '') ?? [];
  if (version === undefined || version === 'ff' || (version === '00' && rest !== undefined)) return undefined;
  if (zeros.test(traceId) || zeros.test(parentId)) return undefined;
  const known = (Number.parseInt(flags, 16) & knownFlags).toString(16).padStart(2, '0');
  const state = parseTraceState(tracestate);
  return {
    traceparent: `00-${traceId}-${parentId}-${known}`,
    ...(state !== undefined && { tracestate: state }),
  };
}

const membersMax = 32;
/** What must be passed on at least (§3.3.1.5). More is not, so that a header does not grow with what callers send. */
const stateCharsMax = 512;
/** Members above this length are the first to be left out (§3.3.1.5). */
const longMember = 128;
const member =
  /^[a-z0-9][a-z0-9_*/-]{0,240}(@[a-z][a-z0-9_*/-]{0,13}|[a-z0-9_*/-]{0,15})=[\x20-\x2b\x2d-\x3c\x3e-\x7e]{0,255}[\x21-\x2b\x2d-\x3c\x3e-\x7e]$/;

/** Undefined for a list that is malformed, or has too many members: then the whole list is left out. */
function parseTraceState(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const members = text
    .split(',')
    .map((each) => each.replace(/^[ \t]+|[ \t]+$/g, ''))
    .filter((each) => each !== '');
  const keys = new Set(members.map((each) => each.slice(0, each.indexOf('='))));
  const isValid = members.length <= membersMax && keys.size === members.length;
  if (members.length === 0 || !isValid || !members.every((each) => member.test(each))) return undefined;
  return shorten(members);
}

/** Whole members only: long ones are left out first, then those at the end. */
function shorten(members: readonly string[]): string | undefined {
  let kept = members;
  if (kept.join(',').length > stateCharsMax) kept = kept.filter(({ length }) => length <= longMember);
  while (kept.join(',').length > stateCharsMax) kept = kept.slice(0, -1);
  return kept.length > 0 ? kept.join(',') : undefined;
}

interface TracedRun {
  readonly run_id: string;
  /** Those of the request that began it. */
  readonly traceparent?: string | undefined;
  readonly tracestate?: string | undefined;
}

export interface RunTrace {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** The span of the caller; absent where the run begins the trace. */
  readonly parentId?: string;
  readonly flags: string;
}

/** A run that joins no trace begins one, whose id is that of the run without hyphens. */
export function readRunTrace({ run_id, traceparent }: TracedRun): RunTrace {
  const [, traceId, parentId, flags] = traceparent?.split('-') ?? [];
  if (traceId === undefined || parentId === undefined || flags === undefined)
    return { traceId: run_id.replaceAll('-', ''), flags: '01' };
  return { traceId, parentId, flags };
}

/** 16 hexadecimal digits, the same for the same run and parts. Without parts, the span of the run. */
export const computeSpanId = (runId: string, ...parts: readonly (string | number)[]): string =>
  createHash('sha256')
    .update(JSON.stringify([runId, ...parts]))
    .digest('hex')
    .slice(0, 16);

/** Identifies one attempt of the execution of a node. */
interface AttemptKey {
  readonly key: string;
  readonly attempt: number;
}

export const attemptSpanId = (runId: string, { key, attempt }: AttemptKey): string =>
  computeSpanId(runId, key, 'attempt', attempt);

/** What a request of a node carries: its parent is the attempt that sends it. */
export function outgoingTrace(run: TracedRun, attempt: AttemptKey): TraceContext {
  const { traceId, flags } = readRunTrace(run);
  const traceparent = `00-${traceId}-${attemptSpanId(run.run_id, attempt)}-${flags}`;
  return { traceparent, ...(run.tracestate !== undefined && { tracestate: run.tracestate }) };
}
