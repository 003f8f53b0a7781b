// The port of the `http` node: sends one request through the guarded fetch, parses and bounds the response,
// and turns every failure into a NodeError.

import { EgressError } from '#lib/egress/egress-error.ts';
import type { EgressLimits } from '#lib/egress/guarded-fetch.ts';
import { hostName, networkFailure } from '#lib/egress/network-failure.ts';
import { redactValue } from '#lib/egress/redact.ts';
import { createHostQueue } from '#lib/flow/engine/host-queue.ts';
import type { Ports } from '#lib/flow/engine/ports.ts';
import { limits as flowLimits } from '#lib/flow/format/limits.ts';
import { NodeError } from '#lib/flow/format/node-error.ts';
import type { RunFiles } from '#lib/flow/ports/file.ts';
import type { FileBody, HttpAnswer, HttpRequest } from '#lib/flow/ports/http.ts';
import type { NodeCall, TraceHeaders } from '#lib/flow/ports/node-call.ts';
import { parseExactly } from '#lib/json/big-integers.ts';
import { isDeeperThan } from '#lib/json/depth.ts';
import type { Json } from '#lib/json/json.ts';
import type { ConnectionFetch } from './authorized-fetch.ts';
import type { GetConnectionFetch } from './connection-fetch.ts';
import { readFileBody } from './file-body.ts';
import { readSavedFile } from './save-response.ts';

/**
 * The node's own time-out arrives as the call's signal and may exceed the defaults of the fetch. These only
 * stop requests that nothing else ends.
 */
const limits: Partial<EgressLimits> = {
  requestBytesMax: flowLimits.requestBytes,
  headersMs: 900_000,
  bodyMs: 900_000,
};

export function createHttpPort(getFetch: GetConnectionFetch, files?: MovedFiles): Ports['http'] {
  return async (request, call) => {
    try {
      if (!movesFiles(request)) return await exchange(request, call, getFetch, noFiles);
      const leave = await transfers.enter('', transfersMax, call.signal);
      return await exchange(request, call, getFetch, files ?? noFiles).finally(leave);
    } catch (error) {
      const context = { host: hostName(request.url), signal: call.signal, noAnswer: 'http.network' };
      throw networkFailure(error, context) ?? error;
    }
  };
}

type MovedFiles = Pick<RunFiles, 'read' | 'save'>;

/** Requests of this process that have a file of 25 MB in memory, of which there are several copies meanwhile. */
const transfersMax = 2;
const transfers = createHostQueue();

const movesFiles = ({ body, save }: HttpRequest): boolean => save !== undefined || isFileBody(body);

const isFileBody = (body: HttpRequest['body']): body is FileBody =>
  typeof body === 'object' && !(body instanceof Uint8Array);

const refuse = async (): Promise<never> => {
  throw new NodeError('file.unavailable', 'There is no store of files here.');
};
const noFiles: MovedFiles = { read: refuse, save: refuse };

async function exchange(
  request: HttpRequest,
  { signal, trace }: NodeCall,
  getFetch: GetConnectionFetch,
  files: MovedFiles,
): Promise<HttpAnswer> {
  const { fetch, redact } = await getFetch(request.connection);
  const { method, url, egress, save } = request;
  const { body, ...sent } = await readRequestBody(request, files, signal);
  const response = await fetch(url, {
    method,
    headers: withTrace(sent.headers, await trace?.()),
    // Never shared memory, which the types of browsers rule out.
    body: body as Exclude<typeof body, Buffer> | Buffer<ArrayBuffer>,
    egress,
    limits: { ...sent.limits, ...responseLimit(request) },
    signal,
  });
  if (!save) return await toHttpAnswer(request, response, redact);
  if (!response.ok) return await toHttpAnswer(request, withLimit(response), redact);
  const file = await readSavedFile(save, response, redact);
  const head = readHead(request, response, redact);
  return { ...head, body: null, file: file ? await files.save(file, signal) : null };
}

/** What the flow has set itself is sent as it is. */
function withTrace(headers: HttpRequest['headers'], trace: TraceHeaders | undefined): HttpRequest['headers'] {
  const isOwn = Object.keys(headers).some((name) => name.toLowerCase() === 'traceparent');
  if (!trace || isOwn) return headers;
  const { traceparent, tracestate } = trace;
  return { ...headers, traceparent, ...(tracestate !== undefined && { tracestate }) };
}

async function readRequestBody({ body, headers }: HttpRequest, files: MovedFiles, signal: AbortSignal) {
  if (!isFileBody(body))
    return { body: typeof body === 'object' ? Buffer.from(body) : (body ?? null), headers, limits };
  const { bytes, contentType } = await readFileBody(body, files, signal);
  const requestBytesMax = flowLimits.fileBytes + flowLimits.requestBytes;
  const isForm = 'fields' in body;
  return {
    body: bytes,
    headers: isForm
      ? { ...headers, 'content-type': contentType }
      : { 'content-type': contentType, ...headers },
    limits: { ...limits, requestBytesMax },
  };
}

function responseLimit({ responseBytesMax, save }: HttpRequest): Partial<EgressLimits> {
  if (save) return { responseBytesMax: flowLimits.fileBytes };
  return responseBytesMax === undefined ? {} : { responseBytesMax };
}

/** What is not saved is no larger than other answers. */
function withLimit(response: Response): Response {
  let bytes = 0;
  const bounded = new TransformStream<Uint8Array, Uint8Array>({
    transform: (chunk, controller) => {
      bytes += chunk.byteLength;
      if (bytes <= unsavedBytes) controller.enqueue(chunk);
      else
        controller.error(
          new EgressError('egress.too_large', `The answer is larger than ${unsavedBytes} bytes.`),
        );
    },
  });
  return new Response(response.body?.pipeThrough(bounded) ?? null, response);
}

const unsavedBytes = 1024 ** 2;

async function toHttpAnswer(
  request: HttpRequest,
  response: Response,
  redact: ConnectionFetch['redact'],
): Promise<HttpAnswer> {
  const { body, kept } = await readBody(request, response, redact);
  return { ...readHead(request, response, redact), body, ...(kept > 0 && { kept }) };
}

function readHead(
  request: HttpRequest,
  response: Response,
  redact: ConnectionFetch['redact'],
): Pick<HttpAnswer, 'status' | 'headers'> {
  // A session cookie is a credential: a flow has it only if it asks for it.
  const headers = [...response.headers]
    .filter(([name]) => name !== 'set-cookie')
    .map(([name, value]) => [name, redact(value)]);
  const cookies = request.keepsCookies ? response.headers.getSetCookie().map(redact) : [];
  return {
    status: response.status,
    headers: { ...Object.fromEntries(headers), ...(cookies.length > 0 && { 'set-cookie': cookies }) },
  };
}

async function readBody(
  { response: form, url }: HttpRequest,
  response: Response,
  redact: ConnectionFetch['redact'],
): Promise<Body> {
  if (form === 'base64' && response.ok) return { body: await readBytes(response, redact), kept: 0 };
  const text = await response.text();
  return form === 'text' ? { body: redact(text), kept: 0 } : parseBody(text, url, response, redact);
}

interface Body {
  readonly body: Json;
  /** The number of integers that were kept as text. */
  readonly kept: number;
}

/** As Latin-1, each byte is one character, and those of a credential are found. */
async function readBytes(response: Response, redact: ConnectionFetch['redact']): Promise<Json> {
  const received = Buffer.from(await response.arrayBuffer());
  const bytes = Buffer.from(redact(received.toString('latin1')), 'latin1');
  const media_type = redact(response.headers.get('content-type') ?? 'application/octet-stream');
  return { base64: bytes.toString('base64'), media_type, size: bytes.length };
}

/**
 * An empty body is null. Gateways send errors as HTML whatever was requested, so only a success must be JSON.
 */
function parseBody(
  text: string,
  url: string,
  { ok, headers }: Response,
  redact: ConnectionFetch['redact'],
): Body {
  if (text.trim() === '') return { body: null, kept: 0 };
  const parsed = parseJson(text);
  if (!parsed) {
    if (!ok) return { body: redact(text), kept: 0 };
    const type = redact(headers.get('content-type') ?? 'no content type');
    throw new NodeError('http.bad_json', `The answer of ${hostName(url)} is not JSON (${type}).`);
  }
  const { value, kept } = parsed;
  if (!isDeeperThan(value, flowLimits.valueDepth)) return { body: redactValue(value, redact), kept };
  throw new NodeError(
    'http.bad_json',
    `The answer of ${hostName(url)} is nested deeper than ${flowLimits.valueDepth} levels.`,
  );
}

/** The error of the parser quotes the text, so it is dropped. */
function parseJson(text: string): { readonly value: Json; readonly kept: number } | undefined {
  try {
    return parseExactly(text);
  } catch {
    return undefined;
  }
}
