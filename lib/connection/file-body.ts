// The body of a request that has stored files.
import { limits } from '#lib/flow/format/limits.ts';
import { NodeError } from '#lib/flow/format/node-error.ts';
import { toFormData } from '#lib/flow/nodes/http-body.ts';
import type { RunFiles } from '#lib/flow/ports/file.ts';
import type { FileBody, FilePart, FormField } from '#lib/flow/ports/http.ts';

export interface ReadBody {
  readonly bytes: Buffer;
  readonly contentType: string;
}

/** Throws `file.*` and `value.too_large`. */
export async function readFileBody(
  body: FileBody,
  files: Pick<RunFiles, 'read'>,
  signal: AbortSignal,
): Promise<ReadBody> {
  if ('file' in body) {
    const { content, media_type } = await files.read(body.file, signal);
    return { bytes: Buffer.from(content), contentType: media_type };
  }
  let bytes = 0;
  const fields: (readonly [string, string | File])[] = [];
  for (const [name, value] of body.fields) {
    const part = isStored(value) ? await readPart(value, files, signal) : value;
    bytes += part instanceof File ? part.size : 0;
    if (bytes > limits.fileBytes) throw tooLarge();
    fields.push([name, part]);
  }
  const form = new Response(toFormData(fields));
  return {
    bytes: Buffer.from(await form.arrayBuffer()),
    contentType: form.headers.get('content-type') ?? '',
  };
}

const isStored = (value: FormField[1]): value is FilePart =>
  typeof value === 'object' && !(value instanceof File);

async function readPart(
  { file, filename, media_type }: FilePart,
  files: Pick<RunFiles, 'read'>,
  signal: AbortSignal,
): Promise<File> {
  const { name, media_type: type, content } = await files.read(file, signal);
  return new File([new Uint8Array(content)], filename ?? name, { type: media_type ?? type });
}

const tooLarge = () =>
  new NodeError('value.too_large', `body: expected files of at most ${limits.fileBytes} bytes in all.`);
