// The parts of messages and artifacts, in the types of the SDK.
import type { Part } from '@a2a-js/sdk';
import type { ContentPart } from '#lib/flow/engine/artifacts.ts';
import type { Json, JsonObject } from '#lib/json/json.ts';

export const textPart = (value: string): Part => ({
  content: { $case: 'text', value },
  metadata: undefined,
  filename: '',
  mediaType: 'text/plain',
});

export const dataPart = (value: Json): Part => ({
  content: { $case: 'data', value },
  metadata: undefined,
  filename: '',
  mediaType: 'application/json',
});

export function toPart(part: ContentPart): Part {
  if ('text' in part) return textPart(part.text);
  if ('data' in part) return dataPart(part.data);
  const { file } = part;
  // Tasks have links instead (`file-links.ts`).
  if ('file' in file) return dataPart({ file: file.file, bytes: file.bytes });
  return {
    content:
      'raw' in file
        ? { $case: 'raw', value: Buffer.from(file.raw, 'base64') }
        : { $case: 'url', value: file.url },
    // A part has no member for the size of what its URL has.
    metadata: 'url' in file && file.bytes !== undefined ? { bytes: file.bytes } : undefined,
    filename: file.filename ?? '',
    mediaType: file.media_type ?? '',
  };
}

/**
 * The response of a flow, once: text if its only member is a text, else data; in the other form where the client
 * accepts only that (A2A v1.0.1 §3.2.2).
 */
export function toResponsePart(response: JsonObject, modes: OutputModes): Part {
  const text = findOnlyText(response);
  const [acceptsText, acceptsData] = [accepts(modes, 'text/plain'), accepts(modes, 'application/json')];
  if (text !== undefined && (acceptsText || !acceptsData)) return textPart(text);
  if (acceptsData || !acceptsText) return dataPart(response);
  return textPart(findAnswerText(response) ?? JSON.stringify(response));
}

function findOnlyText(response: JsonObject): string | undefined {
  const values = Object.values(response);
  return values.length === 1 && typeof values[0] === 'string' ? values[0] : undefined;
}

/** What a client that accepts only text is shown of an object. */
const findAnswerText = ({ answer, text }: JsonObject): string | undefined =>
  [answer, text].find((value) => typeof value === 'string');

/** The media types that a client accepts; all if there are none. */
export type OutputModes = readonly string[];

/** A part without a media type may be anything. */
export function accepts(modes: OutputModes, mediaType: string): boolean {
  const type = mediaTypeName(mediaType);
  if (modes.length === 0 || type === '') return true;
  const accepted = [type, `${type.split('/')[0]}/*`, '*/*'];
  return modes.some((mode) => accepted.includes(mediaTypeName(mode)));
}

/** A media type in lower case, without its parameters (RFC 9110 §8.3.1). */
export const mediaTypeName = (mediaType: string): string =>
  (mediaType.split(';')[0] ?? '').trim().toLowerCase();
