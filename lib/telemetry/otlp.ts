// Spans as OTLP/HTTP has them in JSON: ids are hexadecimal, enumerations are numbers, and 64-bit integers are texts. Its form
// in Protocol Buffers is written from the same values (protobuf.ts).
// https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding

import type { StoredRun } from '#lib/run/stored-run.ts';
import { readRunTrace } from '#lib/trace-context.ts';
import { type AttributeValues, attributes, schemaUrl } from './attributes.ts';
import type { Span } from './spans.ts';

/** The messages of opentelemetry-proto, with the fields that are sent. */
export interface ExportRequest {
  readonly resourceSpans: readonly ResourceSpans[];
}
export interface ResourceSpans {
  readonly resource: Resource;
  readonly scopeSpans: readonly ScopeSpans[];
  readonly schemaUrl: string;
}
interface Resource {
  readonly attributes: readonly KeyValue[];
}
export interface ScopeSpans {
  readonly scope: InstrumentationScope;
  readonly spans: readonly OtlpSpan[];
  readonly schemaUrl: string;
}
interface InstrumentationScope {
  readonly name: string;
  readonly version: string;
}
export interface OtlpSpan {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** 16 hexadecimal digits, as that of the parent. */
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  /** Nanoseconds since 1970, which a number cannot hold. */
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly KeyValue[];
  readonly status: SpanStatus;
}
interface SpanStatus {
  readonly code?: number;
  readonly message?: string;
}
export interface KeyValue {
  readonly key: string;
  readonly value: AnyValue;
}
/** One of them. */
export interface AnyValue {
  readonly stringValue?: string;
  readonly boolValue?: boolean;
  readonly intValue?: string;
  readonly doubleValue?: number;
}

const scope = { name: 'agent-flow-service', version: '1' };
const statusError = 2;
/** Characters of the spans of one request in JSON. Receivers take 4 MB and more. */
const requestCharsMax = 1_000_000;

/**
 * As many requests as it takes. They are the same for each encoding: a message of the queue says how many of them were
 * taken, and the encoding may change before the rest is sent.
 */
export function toExportRequests(
  run: StoredRun,
  spans: readonly Span[],
  hasContent: boolean,
): ExportRequest[] {
  const { traceId } = readRunTrace(run);
  const resource = describeResource(run);
  return split(spans.map((span) => toOtlpSpan(span, traceId, hasContent))).map((some) =>
    toExportRequest(resource, some),
  );
}

export const toExportRequest = (resource: AttributeValues, spans: readonly OtlpSpan[]): ExportRequest => ({
  resourceSpans: [
    {
      resource: { attributes: toAttributes({ serviceName: scope.name, ...resource }) },
      scopeSpans: [{ scope, spans, schemaUrl }],
      schemaUrl,
    },
  ],
});

const describeResource = ({ orgid, workspaceid, environment }: StoredRun): AttributeValues => ({
  environment,
  orgid,
  workspaceid,
});

function split(spans: readonly OtlpSpan[]): OtlpSpan[][] {
  const requests: OtlpSpan[][] = [];
  let chars = Number.POSITIVE_INFINITY;
  for (const span of spans) {
    const { length } = JSON.stringify(span);
    if (chars + length > requestCharsMax) {
      requests.push([]);
      chars = 0;
    }
    requests.at(-1)?.push(span);
    chars += length;
  }
  return requests;
}

export function toOtlpSpan(span: Span, traceId: string, hasContent: boolean): OtlpSpan {
  const { spanId, parentId, name, kind, startMs, endMs, error } = span;
  return {
    traceId,
    spanId,
    ...(parentId !== undefined && { parentSpanId: parentId }),
    name,
    kind,
    startTimeUnixNano: toNanoseconds(startMs),
    endTimeUnixNano: toNanoseconds(endMs),
    attributes: toAttributes({ ...span.attributes, errorType: error?.code }),
    status: error ? { code: statusError, message: hasContent ? error.message : error.code } : {},
  };
}

const toNanoseconds = (ms: number): string => `${Math.trunc(ms)}000000`;

const toAttributes = (values: AttributeValues) =>
  Object.entries(values).flatMap(([name, value]) =>
    value === undefined || !isAttribute(name)
      ? []
      : [{ key: attributes[name].name, value: toAnyValue(value) }],
  );

const isAttribute = (name: string): name is keyof typeof attributes => Object.hasOwn(attributes, name);

function toAnyValue(value: string | number | boolean) {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}
