// The files of a request, read and converted to parts of the AI SDK. What a model does not take is refused here, before
// it is called, with the names of the model and the type. Only types of the SDK are imported.
import type { FilePart } from 'ai';
import type { FileReference } from '#lib/flow/format/file.ts';
import { limits } from '#lib/flow/format/limits.ts';
import { NodeError } from '#lib/flow/format/node-error.ts';
import type { FileContent, RunFiles } from '#lib/flow/ports/file.ts';
import type { ModelMessage } from '#lib/flow/ports/model.ts';
import type { ModelEntry } from './catalog.ts';

/** Throws `file.*`. */
export type ReadFile = RunFiles['read'];

interface Reading {
  readonly entry: ModelEntry;
  readonly model: string;
  /** Absent where there is no store of files, as in the terminal. */
  readonly readFile: ReadFile | undefined;
  readonly signal: AbortSignal;
}

/** By message. Throws `model.unsupported_input`, `file.*` and `value.too_large`. */
export async function readFiles(
  messages: readonly ModelMessage[],
  reading: Reading,
): Promise<ReadonlyMap<ModelMessage, readonly FilePart[]>> {
  const parts = new Map<ModelMessage, readonly FilePart[]>();
  let bytes = 0;
  let count = 0;
  for (const message of messages) {
    if (message.role !== 'user' || !message.files) continue;
    const read: FilePart[] = [];
    for (const reference of message.files) {
      const file = await readReference(reference, reading);
      bytes += file.content.byteLength;
      count += 1;
      if (bytes > limits.fileBytes || count > limits.filesMax) throw tooLarge();
      requireSupported(file.media_type, reading);
      read.push({ type: 'file', data: file.content, mediaType: file.media_type, filename: file.name });
    }
    parts.set(message, read);
  }
  return parts;
}

const tooLarge = () =>
  new NodeError(
    'value.too_large',
    `files: expected at most ${limits.filesMax} files of ${limits.fileBytes} bytes in all in one request to a model.`,
  );

async function readReference(reference: FileReference, { readFile, signal }: Reading): Promise<FileContent> {
  if ('raw' in reference) {
    const { raw, name = 'file', media_type = 'application/octet-stream' } = reference;
    return { name, media_type: toMediaType(media_type), content: Buffer.from(raw, 'base64') };
  }
  if ('file' in reference && readFile) return await readFile(reference.file, signal);
  throw new NodeError('file.not_found', 'There is no store of files here.');
}

/** In lower case, without parameters (RFC 9110, section 8.3.1). */
const toMediaType = (text: string): string => (text.split(';')[0] ?? '').trim().toLowerCase();

function requireSupported(mediaType: string, { entry, model }: Reading): void {
  const taken = entry.input_types ?? formats[entry.provider];
  if (taken.some((range) => matches(mediaType, range)) && isCarried(mediaType, entry)) return;
  throw new NodeError(
    'model.unsupported_input',
    `${model} does not take files of type ${mediaType}. It takes: ${taken.join(', ') || 'text only'}.`,
  );
}

/** `input_types` cannot name what the API of the provider has no form for. */
const isCarried = (mediaType: string, { provider }: ModelEntry): boolean =>
  formats[provider].some((range) => matches(mediaType, range));

const matches = (mediaType: string, range: string): boolean =>
  range.endsWith('/*') ? mediaType.startsWith(range.slice(0, -1)) : mediaType === range;

/** What the API of each provider has a form for; not every model takes all of it. */
const formats: Readonly<Record<ModelEntry['provider'], readonly string[]>> = {
  bedrock: [
    'image/png',
    'image/jpeg',
    'image/gif',
    'image/webp',
    'application/pdf',
    'text/plain',
    'text/csv',
    'text/html',
    'text/markdown',
    'application/msword',
    'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
    'application/vnd.ms-excel',
    'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  ],
  'openai-compatible': ['image/*', 'application/pdf', 'text/*'],
};
