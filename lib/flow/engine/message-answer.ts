// The answer to a question that an A2A message is.
import * as z from 'zod';
import { type Json, type JsonObject, json } from '#lib/json/json.ts';
import { lazy } from '#lib/lazy.ts';
import type { FileContent } from './output.ts';

/** An A2A message as its client sent it, of which the parts are read (A2A v1.0.1 §4.1.6). */
const sentMessage = /* @__PURE__ */ lazy(() =>
  z.looseObject({
    parts: z.array(
      z.looseObject({
        text: z.string().optional(),
        data: json.optional(),
        raw: z.string().optional(),
        url: z.string().optional(),
        mediaType: z.string().optional(),
        filename: z.string().optional(),
      }),
    ),
  }),
);
type MessagePart = z.infer<ReturnType<typeof sentMessage>>['parts'][number];

export const isSentMessage = (value: unknown): boolean => sentMessage().safeParse(value).success;

export const readSentAnswer = (message: JsonObject): Json =>
  readMessageAnswer(sentMessage().parse(message).parts);

/**
 * The first data, if there is any, else the texts, one per line; in a message of files alone the file, or a list of
 * several. The rest of the message is in `answer.message`.
 */
export function readMessageAnswer(parts: readonly MessagePart[]): Json {
  const structured = parts.find(({ data }) => data !== undefined);
  if (structured?.data !== undefined) return structured.data;
  const texts = parts.flatMap(({ text }) => text ?? []);
  const files = parts.flatMap(toFile);
  if (texts.length > 0 || files.length === 0) return texts.join('\n');
  return files.length === 1 ? (files[0] ?? null) : files;
}

/** In the form of the `file` of a `reply`. */
function toFile({ raw, url, mediaType, filename }: MessagePart): FileContent[] {
  const labels = {
    ...(mediaType !== undefined && { media_type: mediaType }),
    ...(filename !== undefined && { filename }),
  };
  if (raw !== undefined) return [{ raw, bytes: Buffer.byteLength(raw, 'base64'), ...labels }];
  return url === undefined ? [] : [{ url, ...labels }];
}
