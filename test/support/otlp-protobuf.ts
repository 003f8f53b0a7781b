// Reads and writes OTLP in Protocol Buffers by the messages that OpenTelemetry publishes: protos/ has the files of
// opentelemetry-proto 1.11.0, unmodified.
import { fileURLToPath } from 'node:url';
import protobuf from 'protobufjs';
import * as z from 'zod';

const folder = fileURLToPath(new URL('protos/', import.meta.url));
const root = new protobuf.Root();
root.resolvePath = (_origin, target) => `${folder}${target}`;
const service = 'opentelemetry.proto.collector.trace.v1';
root.loadSync('opentelemetry/proto/collector/trace/v1/trace_service.proto', { keepCase: false });
const request = root.lookupType(`${service}.ExportTraceServiceRequest`);
const response = root.lookupType(`${service}.ExportTraceServiceResponse`);
const status = protobuf
  .parse('syntax = "proto3"; message Status { int32 code = 1; string message = 2; }')
  .root.lookupType('Status');

/** As protobufjs reads it: ids are bytes in base64, and 64-bit integers are texts. */
export const decodeExport = (bytes: Uint8Array): unknown =>
  request.toObject(request.decode(bytes), { longs: String, bytes: String });

/** In the form that OTLP prescribes for JSON: ids are hexadecimal. */
export const decodeExportAsJson = (bytes: Uint8Array): unknown =>
  JSON.parse(JSON.stringify(decodeExport(bytes)), (name, value) =>
    ids.has(name) ? Buffer.from(z.base64().parse(value), 'base64').toString('hex') : value,
  );

const ids: ReadonlySet<string> = new Set(['traceId', 'spanId', 'parentSpanId']);

export const encodeResponse = (answer: object): Uint8Array =>
  response.encode(response.fromObject(answer)).finish();

export const encodeStatus = (answer: object): Uint8Array => status.encode(status.fromObject(answer)).finish();
