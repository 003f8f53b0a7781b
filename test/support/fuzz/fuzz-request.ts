// A request of the fuzzer before it is on the wire: still in parts, so that the document can be asked whether
// they fit it.
import * as z from 'zod';
import type { ApiDocument, Operation, Parameter } from './api-document.ts';

/** Whose credential a request carries, and how. */
export type Credential =
  | 'good'
  | 'weak'
  | 'foreign'
  | 'forged'
  | 'none'
  | 'two different'
  | 'repeated header';

export interface FuzzRequest {
  readonly operation: Operation;
  /** Another than that of the operation is one that its path does not have. */
  readonly method: string;
  readonly path: Readonly<Record<string, string>>;
  readonly query: readonly (readonly [string, string])[];
  /** Appended to the target as it is, with encodings that no client would produce. */
  readonly rawQuery?: string | undefined;
  /** Besides those of the credential. */
  readonly headers: readonly (readonly [string, string])[];
  readonly credential: Credential;
  /** A value is sent as JSON, a text or bytes as they are. */
  readonly body: FuzzBody;
}

export type FuzzBody =
  | { readonly kind: 'none' }
  | { readonly kind: 'json'; readonly value: unknown }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array };

export interface Verdict {
  /** `unknown` where the document does not say. */
  readonly fits: 'yes' | 'no' | 'unknown';
  readonly mistakes: readonly string[];
}

/** What the document says of the request, credentials and method aside. */
export function judge(document: ApiDocument, request: FuzzRequest): Verdict {
  const mistakes = [
    ...pathMistakes(document, request),
    ...queryMistakes(document, request),
    ...headerMistakes(document, request),
    ...bodyMistakes(document, request),
  ];
  const isOpaque =
    request.rawQuery !== undefined || request.body.kind === 'text' || request.body.kind === 'bytes';
  // The gateway refuses a line and headers of 10,240 bytes, and the document says nothing of that.
  if (headBytes(request) > headBytesSure) return { fits: 'unknown', mistakes };
  if (mistakes.length > 0) return { fits: 'no', mistakes };
  return { fits: isOpaque ? 'unknown' : 'yes', mistakes };
}

/** Leaves room for the credentials. */
const headBytesSure = 6_000;
const headBytes = (request: FuzzRequest) =>
  writeTarget(request).length +
  request.headers.reduce((sum, pair) => sum + Buffer.byteLength(pair.join(': ')), 0);

const parametersIn = ({ operation }: FuzzRequest, place: Parameter['in']) =>
  operation.parameters.filter((each) => each.in === place);

function pathMistakes(document: ApiDocument, request: FuzzRequest): string[] {
  return parametersIn(request, 'path').flatMap((each) =>
    textMistake(document, each.schema, request.path[each.name] ?? '', `path ${each.name}`),
  );
}

function queryMistakes(document: ApiDocument, request: FuzzRequest): string[] {
  const known = parametersIn(request, 'query');
  const unknown = request.query
    .filter(
      ([name]) => !request.operation.ignoresUnknownParameters && !known.some((each) => each.name === name),
    )
    .map(([name]) => `query ${name}: is not in the document`);
  const wrong = known.flatMap((each) => {
    const values = request.query.filter(([name]) => name === each.name).map(([, value]) => value);
    const place = `query ${each.name}`;
    if (values.length === 0) return each.required ? [`${place}: is required`] : [];
    if (each.schema.type === 'array') return valueMistake(document, each.schema, values, place);
    if (values.length > 1) return [`${place}: is given several times`];
    return textMistake(document, each.schema, values[0] ?? '', place);
  });
  return [...unknown, ...wrong];
}

/** Only those that the document names; a header is trimmed on its way. */
function headerMistakes(document: ApiDocument, request: FuzzRequest): string[] {
  return parametersIn(request, 'header').flatMap((each) => {
    const sent = request.headers.filter(([name]) => name.toLowerCase() === each.name.toLowerCase());
    const isRepeated = sent.length > 1 && each.name !== 'If-None-Match';
    return [
      ...(isRepeated ? [`header ${each.name} is sent ${sent.length} times`] : []),
      ...sent.flatMap(([, value]) => textMistake(document, each.schema, value.trim(), `header ${each.name}`)),
    ];
  });
}

function bodyMistakes(document: ApiDocument, { operation, body, headers }: FuzzRequest): string[] {
  if (!operation.body) return [];
  if (body.kind === 'none' || (body.kind === 'json' && body.value === undefined))
    return ['body: is required'];
  const type = headers.find(([name]) => name === 'content-type')?.[1] ?? '';
  if (!/^application\/([a-z0-9.+-]+\+)?json *(;|$)/i.test(type)) return ['body: is not application/json'];
  if (body.kind !== 'json') return [];
  return [
    ...valueMistake(document, operation.body.schema, body.value, 'body'),
    ...(hasLoneSurrogate(body.value) ? ['body: has a lone surrogate'] : []),
  ];
}

/** Text is all that a URL or a header can hold, so that a number has to be read from it. */
function textMistake(
  document: ApiDocument,
  schema: Readonly<Record<string, unknown>>,
  text: string,
  place: string,
): string[] {
  const isNumber = schema.type === 'integer' || schema.type === 'number';
  const value = isNumber && /^-?(0|[1-9]\d*)(\.\d+)?$/.test(text) ? Number(text) : text;
  return valueMistake(document, schema, value, place);
}

function valueMistake(
  { mistakeIn }: ApiDocument,
  schema: Readonly<Record<string, unknown>>,
  value: unknown,
  place: string,
): string[] {
  const mistake = mistakeIn(schema, value);
  return mistake === undefined ? [] : [`${place}: ${mistake}`];
}

/** No JSON text in UTF-8 can hold one, so whoever stored it could never send it out again (RFC 8259 §8.2). */
function hasLoneSurrogate(value: unknown): boolean {
  if (typeof value === 'string') return !value.isWellFormed();
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([name, member]) => !name.isWellFormed() || hasLoneSurrogate(member));
}

/** The request target, as it is sent. */
export function writeTarget({ operation, path, query, rawQuery }: FuzzRequest): string {
  const filled = operation.path.replace(/\{(\w+)\}/g, (_whole, name: string) => encoded(path[name] ?? ''));
  const pairs = query.map(([name, value]) => `${encoded(name)}=${encoded(value)}`);
  const all = [...pairs, ...(rawQuery === undefined ? [] : [rawQuery])];
  return all.length === 0 ? filled : `${filled}?${all.join('&')}`;
}

/** A lone surrogate has no form in a URL; the replacement character is what browsers send. */
const encoded = (text: string): string => encodeURIComponent(text.toWellFormed());

export function encodeBody(body: FuzzBody): Uint8Array | undefined {
  if (body.kind === 'none') return undefined;
  if (body.kind === 'bytes') return body.bytes;
  return Buffer.from(body.kind === 'json' ? (JSON.stringify(body.value) ?? '') : body.text);
}

/** Stands in a header for the signature of the body, which is known when the request is sent. */
export const openSignature = '<signature>';

const credentialNames = z.enum(['x-api-key', 'authorization']);

/** One line for a shell; keys are left out. */
export function asCurl(request: FuzzRequest, credentials: readonly (readonly [string, string])[]): string {
  const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
  const bytes = encodeBody(request.body);
  const sent = bytes === undefined ? '' : Buffer.from(bytes).toString();
  const shown =
    sent.length > bodyShownMax ? `${sent.slice(0, bodyShownMax)}… (${bytes?.length} bytes)` : sent;
  const hidden = credentials.map(([name, value]) =>
    credentialNames.safeParse(name).success
      ? `${name}: ${value.replace(/\S{20,}/, '$KEY')}`
      : `${name}: ${value}`,
  );
  const headers = [...request.headers.map(([name, value]) => `${name}: ${value}`), ...hidden];
  return [
    `curl -g -X ${request.method} "$BASE_URL"${quoted(writeTarget(request))}`,
    ...headers.map((header) => `-H ${quoted(header)}`),
    ...(bytes === undefined ? [] : [`--data-binary ${quoted(shown)}`]),
  ].join(' ');
}

const bodyShownMax = 1_500;
