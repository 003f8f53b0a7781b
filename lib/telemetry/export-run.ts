// Handles one message of the delivery queue: exports a run that is over to the sink of its environment, if there is one
// now. The spans of a run are the same each time, so nothing remembers what was sent but the message itself.
import { waitSeconds } from '#lib/delivery/attempt.ts';
import { readEnvironment } from '#lib/environment/environment-items.ts';
import { noteSink, type SinkNews } from '#lib/environment/sink-items.ts';
import type { TelemetrySink } from '#lib/environment/telemetry-sink.ts';
import type { Log } from '#lib/log.ts';
import { type ExportMessage, enqueueDelivery } from '#lib/run/delivery-queue.ts';
import { groupRecords } from '#lib/run/executions.ts';
import { readRecords } from '#lib/run/kept-value-items.ts';
import { readRun, readRunEvents } from '#lib/run/run-items.ts';
import { viewRun } from '#lib/run/state.ts';
import { isFinal, type StoredRun } from '#lib/run/stored-run.ts';
import { type ExportRequest, toExportRequests } from './otlp.ts';
import { type SendOutcome, sendSpans } from './send.ts';
import { buildSpans, type SpanContent } from './spans.ts';

export async function exportRun(message: ExportMessage, log: Log): Promise<void> {
  if (message.wait_seconds > 0) return await enqueueDelivery(message);
  const run = await readRun(message.run_id);
  if (!run || !isFinal(run.status)) return;
  const sink = (await readEnvironment(run, run.environment))?.telemetry;
  if (!sink) return;
  const { sent = 0 } = message;
  const requests = await projectRun(run, sink);
  const until = performance.now() + sendingMs;
  for (const [n, request] of requests.entries()) {
    if (n < sent) continue;
    // The next invocation continues before this one has to end.
    if (n > sent && performance.now() > until)
      return await enqueueDelivery({ ...message, attempt: 0, sent: n });
    const outcome = await sendSpans(sink, run, request);
    await note({ run, sink, outcome, isGivenUp: isGivenUp(outcome, message), log });
    if (outcome.is === 'taken') continue;
    log.warn('run not exported', { run_id: run.run_id, attempt: message.attempt, reason: outcome.reason });
    if (!isGivenUp(outcome, message)) await enqueueDelivery(nextAttempt({ ...message, sent: n }, outcome));
    return;
  }
}

/** The function has 60 s, and one request takes up to 15. */
const sendingMs = 25_000;

async function projectRun(run: StoredRun, sink: TelemetrySink): Promise<ExportRequest[]> {
  const content = sink.content === 'full' ? await readContent(run) : undefined;
  const view = viewRun(run, await readRunEvents(run));
  return toExportRequests(run, buildSpans(view, content), content !== undefined);
}

/** Nothing that a caller of another organisation has sent. */
async function readContent(run: StoredRun): Promise<SpanContent | undefined> {
  if (run.caller_orgid !== run.orgid) return undefined;
  const { records } = await readRecords(run);
  return { kept: groupRecords(records) };
}

type Failed = Exclude<SendOutcome, { is: 'taken' }>;

const isGivenUp = ({ is }: SendOutcome, { attempt }: ExportMessage): boolean =>
  is === 'refused' || (is === 'again' && attempt + 1 === waitSeconds.length);

/** A sink that asks for more time than the schedule has gets it, up to an hour. */
const longestAskedSeconds = 3_600;

function nextAttempt(message: ExportMessage, failed: Failed): ExportMessage {
  const attempt = message.attempt + 1;
  const asked = 'afterSeconds' in failed ? Math.min(failed.afterSeconds ?? 0, longestAskedSeconds) : 0;
  return { ...message, attempt, wait_seconds: Math.max(waitSeconds[attempt] ?? 0, asked) };
}

interface Noted {
  readonly run: StoredRun;
  readonly sink: TelemetrySink;
  readonly outcome: SendOutcome;
  readonly isGivenUp: boolean;
  readonly log: Log;
}

/** What cannot be noted is not worth another export. */
async function note({ run, sink, outcome, isGivenUp: givenUp, log }: Noted): Promise<void> {
  const { orgid, workspaceid, environment } = run;
  const scope = { orgid, workspaceid, environment, endpoint: sink.endpoint };
  const news = toNews(outcome, givenUp, `${orgid} ${workspaceid} ${environment} ${sink.endpoint}`);
  if (!news) return;
  await noteSink(scope, news).catch((error: unknown) => {
    log.warn('export not noted', {
      run_id: run.run_id,
      reason: error instanceof Error ? error.name : 'unknown',
    });
  });
}

function toNews(outcome: SendOutcome, isGivenUp: boolean, name: string): SinkNews | undefined {
  const at = new Date().toISOString();
  if (outcome.is !== 'taken') {
    const { reason } = outcome;
    const detail = outcome.is === 'refused' ? outcome.detail : undefined;
    const error = { at, reason, ...(detail !== undefined && { detail }) };
    return { error, droppedRuns: isGivenUp ? 1 : 0 };
  }
  const { rejectedSpans, detail } = outcome;
  if (rejectedSpans === 0 && detail === undefined) return isDue(name) ? { exportedAt: at } : undefined;
  const error = { at, reason: 'partial_success', ...(detail !== undefined && { detail }) };
  return { exportedAt: at, error, rejectedSpans };
}

const noteEveryMs = 60_000;
const sinksMax = 1_000;
/** When this process last noted a success, by sink. */
const noted = new Map<string, number>();

function isDue(name: string): boolean {
  const now = Date.now();
  if (now - (noted.get(name) ?? 0) < noteEveryMs) return false;
  if (noted.size >= sinksMax) noted.clear();
  noted.set(name, now);
  return true;
}
