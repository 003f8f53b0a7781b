// Tries a sink: sends one span that says it is a test, as the export of a run would, and returns what the endpoint has
// answered. So whoever sets a sink knows whether it takes spans, before a run ends.
import { randomBytes } from 'node:crypto';
import * as z from 'zod';
import { type Caller, requireWorkspace } from '#lib/access/caller.ts';
import { networkFailure } from '#lib/egress/network-failure.ts';
import { readEnvironment } from '#lib/environment/environment-items.ts';
import type { EnvironmentName } from '#lib/environment/own-environment.ts';
import { type TelemetrySink, telemetrySink } from '#lib/environment/telemetry-sink.ts';
import { ServiceError } from '#lib/errors.ts';
import { NodeError } from '#lib/flow/format/node-error.ts';
import { type ExportRequest, toExportRequest, toOtlpSpan } from './otlp.ts';
import { postSpans, type SinkAnswer } from './post-spans.ts';
import { isTaken, readErrorMessage, readPartialSuccess } from './send.ts';

export const tryTelemetryBody = z
  .strictObject({
    telemetry: telemetrySink
      .optional()
      .meta({ description: 'The sink, which is not stored. Default: that of the environment.' }),
  })
  .meta({ id: 'TryTelemetry' });

export const triedTelemetry = z
  .strictObject({
    host: z.string(),
    accepted: z.boolean().meta({ description: 'Whether the endpoint has taken the span.' }),
    status: z.int().optional().meta({ description: 'With which the endpoint has answered.' }),
    answer: z.string().optional().meta({
      description:
        'The first 300 characters of what it has answered: its message of an error if there is one, else the body. Credentials are redacted.',
    }),
    error: z
      .strictObject({ code: z.string(), message: z.string() })
      .optional()
      .meta({ description: 'Why there is no status, with a code of [flows](flows.md#errors).' }),
    trace_id: z.string().meta({ description: 'The trace of the span, by which the receiver finds it.' }),
    duration_ms: z.int(),
  })
  .meta({ id: 'TriedTelemetry' });
type TriedTelemetry = z.infer<typeof triedTelemetry>;

interface TryRequest extends EnvironmentName {
  readonly body: z.infer<typeof tryTelemetryBody>;
}

/** The function may take 20 s, of which a token may take a part. */
const timeoutMs = 12_000;

export async function trySink(
  caller: Caller,
  { workspaceid, environment, body }: TryRequest,
): Promise<TriedTelemetry> {
  requireWorkspace(caller, workspaceid);
  const owner = { orgid: caller.orgid, workspaceid };
  const sink = body.telemetry ?? (await readEnvironment(owner, environment))?.telemetry;
  if (!sink) throw noSink();
  const traceId = randomBytes(16).toString('hex');
  const startedAt = Date.now();
  const request = newTestRequest({ ...owner, environment }, traceId, startedAt);
  const outcome = await send(sink, owner, request);
  const { host } = new URL(sink.endpoint);
  return { host, ...outcome, trace_id: traceId, duration_ms: Date.now() - startedAt };
}

const noSink = () =>
  new ServiceError('validation_failed', {
    errors: [
      { pointer: '/body/telemetry', detail: 'must be given, because the environment has no telemetry' },
    ],
  });

interface TestScope extends EnvironmentName {
  readonly orgid: string;
}

function newTestRequest(scope: TestScope, traceId: string, ms: number): ExportRequest {
  const { environment, orgid, workspaceid } = scope;
  const span = {
    spanId: randomBytes(8).toString('hex'),
    name: 'test of telemetry',
    kind: 1,
    startMs: ms,
    endMs: ms,
    attributes: {},
  } as const;
  return toExportRequest({ environment, orgid, workspaceid }, [toOtlpSpan(span, traceId, false)]);
}

type Outcome = Pick<TriedTelemetry, 'accepted' | 'status' | 'answer' | 'error'>;

async function send(
  sink: TelemetrySink,
  owner: { readonly orgid: string; readonly workspaceid: string },
  request: ExportRequest,
): Promise<Outcome> {
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    return describeAnswer(await postSpans(sink, owner, request, { signal, timeoutMs }));
  } catch (error) {
    const { host } = new URL(sink.endpoint);
    const failure = networkFailure(error, { host, signal, noAnswer: 'http.network' }) ?? error;
    if (!(failure instanceof NodeError)) throw failure;
    return { accepted: false, error: { code: failure.code, message: failure.message } };
  }
}

function describeAnswer(answer: SinkAnswer): Outcome {
  const { rejectedSpans, errorMessage } = readPartialSuccess(answer);
  const said = answer.quote(readErrorMessage(answer) || errorMessage || answer.text);
  return {
    accepted: isTaken(answer) && rejectedSpans === 0,
    status: answer.status,
    ...(said !== '' && { answer: said }),
  };
}
