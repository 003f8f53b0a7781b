// Text, data and files that a flow sends to its caller: their fields, and how their templates are evaluated.
// Shared by `reply` and `end`.
import * as z from 'zod';
import type { Json, JsonObject } from '#lib/json/json.ts';
import { jsonBytes } from '#lib/json/size.ts';
import { lazy } from '#lib/lazy.ts';
import { truncate } from '#lib/truncate.ts';
import { isWrittenAsUrl } from '#lib/web-url.ts';
import type { NodeContext } from '../engine/node-context.ts';
import type { Annotations, ArtifactLabels, Content, FileContent } from '../engine/output.ts';
import { type Render, template } from '../expression/template.ts';
import { asText } from '../expression/text.ts';
import { parseFiles } from '../format/file.ts';
import { definedOnly, isList, isObject } from '../format/json-value.ts';
import { limits } from '../format/limits.ts';
import { NodeError } from '../format/node-error.ts';
import { json } from '../format/node-fields.ts';
import { atLeastOne, type FieldRule, ruled } from '../format/notes.ts';
import { objectField, requireObject } from './object-field.ts';

const oneSource: FieldRule = {
  kind: 'exactlyOne',
  names: ['raw', 'url', 'file'],
  detail: 'expected either `raw` (base64), `url` or `file`',
  at: [],
};

const file = () =>
  ruled(
    z
      .strictObject({
        raw: z
          .string()
          .min(1)
          .optional()
          .meta({ description: 'The bytes in base64; template. Instead of `url` and `file`.' }),
        url: z.string().min(1).optional().meta({ description: 'URL of the file, http(s); template.' }),
        file: z
          .string()
          .min(1)
          .optional()
          .meta({
            description: 'A stored file: a reference, or its id; template.',
            examples: ['{{ nodes.fetch.file }}'],
          }),
        media_type: z
          .string()
          .min(1)
          .max(256)
          .optional()
          .meta({ description: 'MIME type of the file; template.', examples: ['text/csv'] }),
        filename: z
          .string()
          .min(1)
          .max(256)
          .optional()
          .meta({ description: 'Name of the file; template.', examples: ['orders.csv'] }),
      })
      .meta({ title: 'File', description: 'A file: either its bytes, its URL, or a stored file.' }),
    [oneSource],
    'file',
  );

export const contentFields = /* @__PURE__ */ lazy(() => ({
  text: z.string().min(1).optional().meta({ description: 'Text; template.' }),
  data: json().optional().meta({ description: 'Any JSON value with templates.' }),
  file: file().optional().meta({ description: 'A file: its bytes, its URL, or a stored file.' }),
}));

export const annotationFields = /* @__PURE__ */ lazy(() => ({
  metadata: objectField().optional().meta({
    description:
      'Metadata for callers over A2A: an object with templates, or one expression that gives an object.',
  }),
  extensions: z.array(z.string().min(1).max(1_024)).min(1).max(extensionsMax).optional().meta({
    description:
      'URIs of the A2A extensions that define members of the metadata; templates. Empty ones are omitted.',
  }),
}));

export const artifactLabels = /* @__PURE__ */ lazy(() => ({
  name: z.string().min(1).max(256).optional().meta({ description: 'Name of the artifact; template.' }),
  description: z
    .string()
    .min(1)
    .max(2000)
    .optional()
    .meta({ description: 'Description of the artifact; template.' }),
  ...annotationFields(),
}));

/** Takes evaluated labels, and truncates texts that are too long. Throws `content.bad_artifact`. */
export function toLabels({ name, description, ...annotations }: JsonObject): ArtifactLabels {
  return {
    ...(isGiven(name) && { name: truncate(asText(name), 256) }),
    ...(isGiven(description) && { description: truncate(asText(description), 2000) }),
    ...toAnnotations(annotations, 'content.bad_artifact'),
  };
}

/** Takes evaluated annotations. Throws an error with the code, or `value.too_large`. */
export function toAnnotations({ metadata, extensions }: JsonObject, code: string): Annotations {
  const uris = isList(extensions) ? extensions.map(asText).filter((uri) => uri !== '') : [];
  if (uris.some((uri) => uri.length > extensionLengthMax))
    throw new NodeError(code, `extensions: expected at most ${extensionLengthMax} characters each.`);
  return {
    ...(isGiven(metadata) && { metadata: checkMetadata(metadata, code) }),
    ...(uris.length > 0 && { extensions: uris }),
  };
}

/** As many as a card can declare, and as long. */
const extensionsMax = 20;
const extensionLengthMax = 256;

function checkMetadata(metadata: Json, code: string): JsonObject {
  const object = requireObject('metadata', metadata, code);
  if (jsonBytes(object, limits.labelBytes) <= limits.labelBytes) return object;
  throw new NodeError('value.too_large', `metadata: expected at most ${limits.labelBytes} bytes of JSON.`);
}

const isGiven = (value: Json | undefined): value is Json => value !== undefined && value !== null;

export const contentNames = ['text', 'data', 'file'] as const;

export type ContentFields = z.infer<z.ZodObject<ReturnType<typeof contentFields>>>;

export const contentRule = () =>
  atLeastOne(contentNames, 'expected `text`, `data` or `file`, or several of them');

/** What the content of a node needs of its execution. */
export type ContentContext = Pick<NodeContext, 'at' | 'findFile'>;

/** Throws `content.bad_file`, `file.*` or `value.too_large`. */
export function prepareContent({
  text,
  data,
  file,
}: ContentFields): (context: ContentContext) => Promise<Content> {
  const parts = {
    text: text === undefined ? undefined : template(text),
    data: data === undefined ? undefined : template(data),
    file: file && template(definedOnly(file)),
  };
  return async (context) => {
    const { at } = context;
    const content = {
      ...(parts.text && { text: asText(await parts.text(at)) }),
      ...(parts.data && { data: await parts.data(at) }),
      ...(parts.file && { file: await renderFile(parts.file, context) }),
    };
    if (jsonBytes(content, limits.variableBytes) <= limits.variableBytes) return content;
    throw new NodeError(
      'value.too_large',
      `Expected at most ${limits.variableBytes} bytes of JSON to say at once.`,
    );
  };
}

async function renderFile(render: Render, { at, findFile }: ContentContext): Promise<FileContent> {
  const filled = await render(at);
  const { raw, url, file, media_type, filename } = isObject(filled) ? filled : {};
  const labels = {
    ...(isText(media_type) && { media_type: truncate(media_type, 256) }),
    ...(isText(filename) && { filename: truncate(filename, 256) }),
  };
  if (isText(raw) && isBase64(raw)) return { raw, ...labels };
  if (isText(url) && isWrittenAsUrl(url) && /^https?:$/.test(URL.parse(url)?.protocol ?? ''))
    return { url, ...labels };
  if (file !== undefined) {
    const { file: id, name, ...facts } = await findFile(toFileId(file));
    return { file: id, filename: name, ...facts, ...labels };
  }
  throw new NodeError('content.bad_file', 'file: expected `raw` as base64, or `url` as an http(s) URL.');
}

function toFileId(value: Json): string {
  const field = '`file` in `file`';
  const [reference, ...others] = parseFiles(value, field);
  if (reference && 'file' in reference && others.length === 0) return reference.file;
  throw new NodeError('file.bad_reference', `${field}: expected a reference to one stored file, or its id.`);
}

const isText = (value: Json | undefined): value is string => typeof value === 'string' && value !== '';

const isBase64 = (text: string) => text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text);
