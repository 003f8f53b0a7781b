// Spans as OTLP/HTTP has them in JSON: ids are hexadecimal, enumerations are numbers, and 64-bit integers are texts.
// https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding

import type { StoredRun } from '#lib/run/stored-run.ts';
import { readRunTrace } from '#lib/trace-context.ts';
import { type AttributeValues, attributes, schemaUrl } from './attributes.ts';
import type { Span } from './spans.ts';

const scope = { name: 'agent-flow-service', version: '1' };
const statusError = 2;
/** Bytes of the spans of one request. Receivers take 4 MB and more. */
const requestCharsMax = 1_000_000;

/** The bodies of as many requests as it takes. */
export function toExportRequests(run: StoredRun, spans: readonly Span[], hasContent: boolean): string[] {
  const { traceId } = readRunTrace(run);
  const resource = { attributes: toAttributes(describeResource(run)) };
  const texts = spans.map((span) => JSON.stringify(toOtlpSpan(span, traceId, hasContent)));
  return split(texts).map((some) => {
    const scopeSpans = `[{"scope":${JSON.stringify(scope)},"spans":[${some.join(',')}],"schemaUrl":"${schemaUrl}"}]`;
    const resourceText = JSON.stringify(resource);
    return `{"resourceSpans":[{"resource":${resourceText},"scopeSpans":${scopeSpans},"schemaUrl":"${schemaUrl}"}]}`;
  });
}

const describeResource = ({ orgid, workspaceid, environment }: StoredRun): AttributeValues => ({
  serviceName: scope.name,
  environment,
  orgid,
  workspaceid,
});

function split(texts: readonly string[]): string[][] {
  const requests: string[][] = [];
  let chars = Number.POSITIVE_INFINITY;
  for (const text of texts) {
    if (chars + text.length > requestCharsMax) {
      requests.push([]);
      chars = 0;
    }
    requests.at(-1)?.push(text);
    chars += text.length;
  }
  return requests;
}

function toOtlpSpan(span: Span, traceId: string, hasContent: boolean) {
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
