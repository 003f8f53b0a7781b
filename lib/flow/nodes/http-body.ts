// The body of a request: text as it is, bytes from base64, a file, an object as a form where the content type is that
// of a form, and anything else as JSON. Node encodes the forms.
import type { Json, JsonObject } from '#lib/json/json.ts';
import type { RenderAt } from '../expression/evaluation.ts';
import { asText } from '../expression/text.ts';
import { parseFiles } from '../format/file.ts';
import { isList, isObject } from '../format/json-value.ts';
import { limits } from '../format/limits.ts';
import { NodeError } from '../format/node-error.ts';
import type { FileBody, FilePart, FormField } from '../ports/http.ts';
import { resolvePart } from './attached-files.ts';

export interface EncodedBody {
  readonly content: string | Uint8Array | FileBody;
  /** Undefined where only the port knows it. */
  readonly contentType: string | undefined;
}

type Scope = RenderAt['scope'];

/** `declared` is the content type of the flow's own headers. Throws `http.bad_body`, `file.*` or `value.too_large`. */
export async function encodeBody(
  body: Json,
  declared: string | undefined,
  scope: Scope,
): Promise<EncodedBody> {
  if (typeof body === 'string')
    return { content: body, contentType: declared ?? 'text/plain; charset=utf-8' };
  const form = declared?.split(';', 1)[0]?.trim().toLowerCase();
  if (form === 'application/x-www-form-urlencoded') return await encode(toParameters(listFields(body)));
  if (form !== 'multipart/form-data')
    return { content: JSON.stringify(body), contentType: declared ?? 'application/json' };
  const fields = listFields(body).map((field) => toFormField(field, scope));
  const inline = fields.filter(isInline);
  return inline.length === fields.length
    ? await encode(toFormData(inline))
    : { content: { fields }, contentType: undefined };
}

export function decodeBody(field: string, text: Json, declared: string | undefined): EncodedBody {
  const bytes = typeof text === 'string' ? decodeBase64(text) : undefined;
  if (!bytes) throw badBody(field, 'expected base64');
  checkSize(bytes);
  return { content: bytes, contentType: declared ?? 'application/octet-stream' };
}

/** One file as the body. Throws `file.bad_reference` and `file.not_found`. */
export function fileBody(
  field: string,
  reference: Json,
  declared: string | undefined,
  scope: Scope,
): EncodedBody {
  const file = resolveFile(reference, field, scope);
  if ('file' in file) return { content: { file: file.file }, contentType: declared };
  return decodeBody(field, file.raw, declared ?? file.media_type);
}

function resolveFile(reference: Json, path: string, scope: Scope) {
  const [file, ...others] = parseFiles(reference, path);
  if (!file || others.length > 0)
    throw new NodeError('file.bad_reference', `${path}: expected a reference to one file.`);
  return resolvePart(file, scope);
}

/** Node chooses the boundary, and writes it into the content type. */
async function encode(form: URLSearchParams | FormData): Promise<EncodedBody> {
  const encoded = new Response(form);
  const content = new Uint8Array(await encoded.arrayBuffer());
  checkSize(content);
  return { content, contentType: encoded.headers.get('content-type') ?? '' };
}

function checkSize({ byteLength }: Uint8Array): void {
  if (byteLength <= limits.requestBytes) return;
  throw new NodeError('value.too_large', `body: expected at most ${limits.requestBytes} bytes.`);
}

type JsonField = readonly [name: string, value: Json, path: string];

/** A list repeats its field, and a value that is missing omits it. */
function listFields(body: Json): readonly JsonField[] {
  if (!isObject(body)) throw badBody('body', 'expected an object with a member for each field of the form');
  const fields = Object.entries(body).flatMap(([name, value]): JsonField[] =>
    isList(value)
      ? value.map((one, index) => [name, one, `body.${name}[${index}]`])
      : [[name, value, `body.${name}`]],
  );
  if (fields.length > limits.formFieldsMax)
    throw badBody('body', `expected at most ${limits.formFieldsMax} fields of a form`);
  return fields.filter(([, value]) => value !== null);
}

function toParameters(fields: readonly JsonField[]): URLSearchParams {
  const form = new URLSearchParams();
  for (const [name, value, path] of fields) form.append(name, fieldText(value, path));
  return form;
}

const toFormField = ([name, value, path]: JsonField, scope: Scope): FormField => [
  name,
  isObject(value) ? toPart(value, path, scope) : fieldText(value, path),
];

type InlineField = readonly [name: string, value: string | File];

const isInline = (field: FormField): field is InlineField =>
  typeof field[1] === 'string' || field[1] instanceof File;

export function toFormData(fields: readonly InlineField[]): FormData {
  const form = new FormData();
  for (const [name, value] of fields) {
    if (typeof value === 'string') form.append(name, value);
    else form.append(name, value);
  }
  return form;
}

function fieldText(value: Json, path: string): string {
  if (typeof value !== 'object') return asText(value);
  const detail =
    'expected text, a number, true or false: forms have no nested values; write `$string(…)` for JSON, or name the field as the receiver does, such as "address[city]"';
  throw badBody(path, detail);
}

function toPart(part: JsonObject, path: string, scope: Scope): File | FilePart {
  const { file, filename, media_type, ...others } = part;
  if (file === undefined) return toFile(part, path);
  const isPart =
    (filename === undefined || typeof filename === 'string') &&
    isMediaType(media_type) &&
    Object.keys(others).length === 0;
  if (!isPart) throw badBody(path, `expected ${fileForm}`);
  const labels = {
    ...(filename !== undefined && { filename }),
    ...(media_type !== undefined && { media_type }),
  };
  const found = resolveFile(file, `${path}.file`, scope);
  if ('file' in found) return { file: found.file, ...labels };
  const { raw, name = 'file', media_type: type = 'application/octet-stream' } = found;
  return toFile({ base64: raw, filename: name, media_type: type, ...labels }, path);
}

function toFile(part: JsonObject, path: string): File {
  const { filename, media_type, base64, text, ...others } = part;
  const bytes = typeof base64 === 'string' ? decodeBase64(base64) : undefined;
  const content = base64 === undefined ? text : bytes;
  const isFile =
    typeof filename === 'string' &&
    isMediaType(media_type) &&
    (content instanceof Uint8Array || typeof content === 'string') &&
    (base64 === undefined || text === undefined) &&
    Object.keys(others).length === 0;
  if (!isFile) throw badBody(path, `expected text, or a file: ${fileForm}`);
  return new File([content], filename, { type: media_type ?? defaultMediaType(content) });
}

const fileForm =
  '{"filename", "media_type"?, and either "base64" or "text"}, or {"file", "filename"?, "media_type"?}';

/** One line: Node writes it into the head of the part as it is. */
const isMediaType = (type: Json | undefined): type is string | undefined =>
  type === undefined || (typeof type === 'string' && /^[\w.+-]+\/[\w.+-]+(; ?[\w.=+"-]+)*$/.test(type));

const defaultMediaType = (content: unknown) =>
  typeof content === 'string' ? 'text/plain;charset=utf-8' : 'application/octet-stream';

/** Undefined for text that is not base64 (RFC 4648 section 4). */
function decodeBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  const isBase64 = text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text);
  return isBase64 ? new Uint8Array(Buffer.from(text, 'base64')) : undefined;
}

const badBody = (path: string, detail: string) => new NodeError('http.bad_body', `${path}: ${detail}.`);
