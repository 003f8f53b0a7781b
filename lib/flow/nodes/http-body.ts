// The body of a request: text as it is, bytes from base64, an object as a form where the content type is that of
// a form, and anything else as JSON. Node encodes the forms.
import type { Json, JsonObject } from '#lib/json/json.ts';
import { asText } from '../expression/text.ts';
import { isList, isObject } from '../format/json-value.ts';
import { limits } from '../format/limits.ts';
import { NodeError } from '../format/node-error.ts';

export interface EncodedBody {
  readonly bytes: string | Uint8Array;
  readonly contentType: string;
}

/** `declared` is the content type of the flow's own headers. Throws `http.bad_body` or `value.too_large`. */
export async function encodeBody(body: Json, declared: string | undefined): Promise<EncodedBody> {
  if (typeof body === 'string') return { bytes: body, contentType: declared ?? 'text/plain; charset=utf-8' };
  const encodeForm = formEncoders.get(declared?.split(';', 1)[0]?.trim().toLowerCase() ?? '');
  if (!encodeForm) return { bytes: JSON.stringify(body), contentType: declared ?? 'application/json' };
  // Node chooses the boundary, and writes it into the content type.
  const encoded = new Response(encodeForm(listFields(body)));
  const bytes = new Uint8Array(await encoded.arrayBuffer());
  checkSize(bytes);
  return { bytes, contentType: encoded.headers.get('content-type') ?? '' };
}

export function decodeBody(field: string, text: Json, declared: string | undefined): EncodedBody {
  const bytes = typeof text === 'string' ? decodeBase64(text) : undefined;
  if (!bytes) throw badBody(field, 'expected base64');
  checkSize(bytes);
  return { bytes, contentType: declared ?? 'application/octet-stream' };
}

function checkSize({ byteLength }: Uint8Array): void {
  if (byteLength <= limits.requestBytes) return;
  throw new NodeError('value.too_large', `body: expected at most ${limits.requestBytes} bytes.`);
}

type EncodeForm = (fields: readonly FormField[]) => URLSearchParams | FormData;

const formEncoders: ReadonlyMap<string, EncodeForm> = new Map<string, EncodeForm>([
  ['application/x-www-form-urlencoded', encodeParameters],
  ['multipart/form-data', encodeParts],
]);

type FormField = readonly [name: string, value: Json, path: string];

/** A list repeats its field, and a value that is missing omits it. */
function listFields(body: Json): readonly FormField[] {
  if (!isObject(body)) throw badBody('body', 'expected an object with a member for each field of the form');
  const fields = Object.entries(body).flatMap(([name, value]): FormField[] =>
    isList(value)
      ? value.map((one, index) => [name, one, `body.${name}[${index}]`])
      : [[name, value, `body.${name}`]],
  );
  if (fields.length > limits.formFieldsMax)
    throw badBody('body', `expected at most ${limits.formFieldsMax} fields of a form`);
  return fields.filter(([, value]) => value !== null);
}

function encodeParameters(fields: readonly FormField[]): URLSearchParams {
  const form = new URLSearchParams();
  for (const [name, value, path] of fields) form.append(name, fieldText(value, path));
  return form;
}

function encodeParts(fields: readonly FormField[]): FormData {
  const form = new FormData();
  for (const [name, value, path] of fields) {
    if (isObject(value)) form.append(name, toFile(value, path));
    else form.append(name, fieldText(value, path));
  }
  return form;
}

function fieldText(value: Json, path: string): string {
  if (typeof value !== 'object') return asText(value);
  const detail =
    'expected text, a number, true or false: forms have no nested values; write `$string(…)` for JSON, or name the field as the receiver does, such as "address[city]"';
  throw badBody(path, detail);
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

const fileForm = '{"filename", "media_type"?, and either "base64" or "text"}';

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
