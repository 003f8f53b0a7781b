// Files as flows hold them: a reference, never the content of a large one.
import type { Json } from '#lib/json/json.ts';
import { isList, isObject } from './json-value.ts';
import { limits } from './limits.ts';
import { NodeError } from './node-error.ts';

/** What a file has beside its content, as far as whoever names it knows. */
type FileLabels = { readonly name?: string; readonly media_type?: string };

/** A type, because it is kept as JSON, which no interface is. */
export type FileReference =
  /** A stored file, by its id. */
  | ({ readonly file: string } & FileLabels)
  /** A part of the message that has started the run, by its position. */
  | ({ readonly part: number } & FileLabels)
  /** The content itself, in base64. */
  | ({ readonly raw: string } & FileLabels);

/** Takes one reference or a list of them; null is none. Throws `file.bad_reference`. */
export function parseFiles(value: Json, field: string): readonly FileReference[] {
  if (value === null) return [];
  const references = isList(value) ? value : [value];
  if (references.length > limits.filesMax)
    throw new NodeError('file.bad_reference', `${field}: expected at most ${limits.filesMax} files.`);
  return references.map((each) => parseReference(each, field));
}

/** Also the parts of A2A messages, whose members have other names. */
function parseReference(value: Json, field: string): FileReference {
  if (typeof value === 'string') return parseReference({ file: value }, field);
  const { file, part, raw, name, filename, media_type, mediaType } = isObject(value) ? value : {};
  const labels = {
    ...readLabel('name', name ?? filename),
    ...readLabel('media_type', media_type ?? mediaType),
  };
  if (isFileId(file)) return { file, ...labels };
  if (typeof part === 'number' && Number.isInteger(part) && part >= 0) return { part, ...labels };
  if (typeof raw === 'string' && raw !== '' && isBase64(raw)) return { raw, ...labels };
  throw new NodeError(
    'file.bad_reference',
    `${field}: expected references to files, such as {"file": "file_…"}, or parts of a message that have \`raw\` in base64. ` +
      'The service does not fetch the `url` of a part: an http node does.',
  );
}

/** With both alphabets of RFC 4648 and without padding, as ProtoJSON takes it. */
const isBase64 = (text: string): boolean => /^[\w+/-]+={0,2}$/.test(text);

const isFileId = (value: Json | undefined): value is string =>
  typeof value === 'string' && /^file_[\w-]{22}$/.test(value);

const readLabel = <Name extends keyof FileLabels>(name: Name, value: Json | undefined): FileLabels =>
  typeof value === 'string' && value !== '' ? { [name]: value.slice(0, 255) } : {};
