// A receiver of OTLP/HTTP on loopback. It refuses what is not an export request of traces: in JSON, enumerations are numbers,
// ids are hexadecimal, times and 64-bit integers are texts, and nothing else is there. It takes one encoding, and answers in it.
import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import * as z from 'zod';
import { tryParse } from '#lib/json/try-parse.ts';
import { closeServer, listen } from '#lib/local/listen.ts';
import { decodeExportAsJson, encodeResponse, encodeStatus } from './otlp-protobuf.ts';

const anyValue = z.union([
  z.strictObject({ stringValue: z.string() }),
  z.strictObject({ intValue: z.string().regex(/^-?\d+$/) }),
  z.strictObject({ doubleValue: z.number() }),
  z.strictObject({ boolValue: z.boolean() }),
]);
const keyValues = z.array(z.strictObject({ key: z.string().min(1), value: anyValue }));
const nano = z.string().regex(/^[1-9]\d{18}$/);
const hex = (digits: number) => z.string().regex(new RegExp(`^(?!0+$)[0-9a-f]{${digits}}$`));

const otlpSpan = z.strictObject({
  traceId: hex(32),
  spanId: hex(16),
  parentSpanId: hex(16).optional(),
  name: z.string().min(1),
  kind: z.int().min(1).max(5),
  startTimeUnixNano: nano,
  endTimeUnixNano: nano,
  // In Protocol Buffers, an empty list is none.
  attributes: keyValues.default([]),
  status: z.strictObject({ code: z.literal(2).optional(), message: z.string().optional() }),
});

const exportRequest = z.strictObject({
  resourceSpans: z
    .array(
      z.strictObject({
        resource: z.strictObject({ attributes: keyValues }),
        scopeSpans: z
          .array(
            z.strictObject({
              scope: z.strictObject({ name: z.string(), version: z.string() }),
              spans: z.array(otlpSpan).min(1),
              schemaUrl: z.url(),
            }),
          )
          .min(1),
        schemaUrl: z.url(),
      }),
    )
    .min(1),
});

export interface ReceivedSpan extends Omit<z.infer<typeof otlpSpan>, 'attributes'> {
  readonly attributes: Readonly<Record<string, string | number | boolean>>;
}

interface OtlpAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** JSON, or another text; in Protocol Buffers the same message. */
  readonly body?: string;
  /** The connection ends without an answer. */
  readonly isBroken?: boolean;
}

export interface OtlpReceiver {
  /** Of its traces. */
  readonly endpoint: string;
  readonly host: string;
  /** The bodies of its requests, as they came; those in Protocol Buffers as JSON. */
  readonly bodies: string[];
  readonly headers: Readonly<Record<string, string | string[] | undefined>>[];
  /** The next answers; 200 when there are none left. */
  readonly answers: OtlpAnswer[];
  /** The spans of all requests that it has taken. */
  readonly spans: ReceivedSpan[];
  readonly resources: Readonly<Record<string, string | number | boolean>>[];
  readonly close: () => Promise<void>;
}

export async function startOtlpReceiver(encoding: keyof typeof codecs = 'json'): Promise<OtlpReceiver> {
  const { contentType, decode, encode } = codecs[encoding];
  const bodies: string[] = [];
  const headers: OtlpReceiver['headers'] = [];
  const answers: OtlpAnswer[] = [];
  const spans: ReceivedSpan[] = [];
  const resources: OtlpReceiver['resources'] = [];
  const server = createServer(async (request, response) => {
    const body = await buffer(request);
    headers.push(request.headers);
    const answer = answers.shift() ?? { status: 200, body: '{}' };
    const isEncoded = request.headers['content-type'] === contentType;
    const received = isEncoded ? decode(body) : undefined;
    bodies.push(received === undefined ? String(body) : JSON.stringify(received));
    if (answer.isBroken) return void request.socket.destroy();
    const parsed = exportRequest.safeParse(received);
    const isAsked = request.method === 'POST' && request.url === '/v1/traces';
    if (!isEncoded || !isAsked) return void response.writeHead(isAsked ? 415 : 404).end();
    if (!parsed.success) {
      const message = z.prettifyError(parsed.error);
      return void response.writeHead(400, { 'content-type': contentType }).end(encode(400, { message }));
    }
    if (answer.status === 200)
      for (const { resource, scopeSpans } of parsed.data.resourceSpans) {
        resources.push(toRecord(resource.attributes));
        for (const each of scopeSpans.flatMap((scope) => scope.spans))
          spans.push({ ...each, attributes: toRecord(each.attributes) });
      }
    const message = tryParse(answer.body ?? '');
    const isMessage = typeof message === 'object' && message !== null;
    response
      .writeHead(answer.status, { 'content-type': contentType, ...answer.headers })
      .end(isMessage ? encode(answer.status, message) : answer.body);
  });
  const url = await listen(server, 0);
  return {
    endpoint: `${url}/v1/traces`,
    host: new URL(url).host,
    bodies,
    headers,
    answers,
    spans,
    resources,
    close: () => closeServer(server),
  };
}

const codecs = {
  json: {
    contentType: 'application/json',
    decode: (body: Buffer): unknown => tryParse(String(body)),
    encode: (_status: number, message: object) => JSON.stringify(message),
  },
  protobuf: {
    contentType: 'application/x-protobuf',
    decode: decodeExportAsJson,
    encode: (status: number, message: object) =>
      status < 300 ? encodeResponse(message) : encodeStatus(message),
  },
} as const;

const toRecord = (attributes: z.infer<typeof keyValues>) =>
  Object.fromEntries(
    attributes.map(({ key, value }) => {
      if ('intValue' in value) return [key, Number(value.intValue)];
      const [only = ''] = Object.values(value);
      return [key, only];
    }),
  );
