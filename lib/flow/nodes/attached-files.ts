// The files that a request to a model has with its messages. Loaded with the first flow that calls a model.
import type { Json } from '#lib/json/json.ts';
import type { RenderAt } from '../expression/evaluation.ts';
import { template } from '../expression/template.ts';
import { type FileReference, parseFiles } from '../format/file.ts';
import { isList, isObject } from '../format/json-value.ts';
import { NodeError } from '../format/node-error.ts';
import type { ModelMessage } from '../ports/model.ts';

/** Throws `file.bad_reference`. */
export function prepareFiles(
  files: Json | undefined,
): ((at: RenderAt) => Promise<readonly FileReference[]>) | undefined {
  if (files === undefined) return undefined;
  const render = template(files);
  return async (at) => parseFiles(await render(at), 'files');
}

/** With the last message of the user. Throws `file.bad_reference` if there is none. */
export function attachFiles<M extends { readonly role: string; readonly content: string }>(
  messages: readonly M[],
  files: readonly FileReference[],
): readonly (M & { readonly files?: readonly FileReference[] })[] {
  if (files.length === 0) return messages;
  const last = messages.findLastIndex(({ role }) => role === 'user');
  if (last === -1)
    throw new NodeError('file.bad_reference', 'files: expected a message of the user to attach them to.');
  return messages.map((message, index) => (index === last ? { ...message, files } : message));
}

/** The messages with the content of parts, which only the input of the run has, in place of their positions. */
export const withParts = (messages: readonly ModelMessage[], { scope }: RenderAt): readonly ModelMessage[] =>
  messages.map((message) =>
    message.role === 'user' && message.files
      ? { ...message, files: message.files.map((file) => resolvePart(file, scope)) }
      : message,
  );

/** A part of the message that has started the run as its content. Throws `file.not_found`. */
export function resolvePart(
  file: FileReference,
  { input: { a2a } }: RenderAt['scope'],
): Exclude<FileReference, { readonly part: number }> {
  if (!('part' in file)) return file;
  const { part: position, ...labels } = file;
  const message = isObject(a2a) && isObject(a2a.message) ? a2a.message : {};
  const part = isList(message.parts) ? message.parts[position] : undefined;
  if (isObject(part) && typeof part.raw === 'string') return { raw: part.raw, ...labels };
  throw new NodeError('file.not_found', `The message that started the run has no file in part ${position}.`);
}
