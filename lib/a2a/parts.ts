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
  return {
    content:
      'raw' in file
        ? { $case: 'raw', value: Buffer.from(file.raw, 'base64') }
        : { $case: 'url', value: file.url },
    metadata: undefined,
    filename: file.filename ?? '',
    mediaType: file.media_type ?? '',
  };
}

/**
 * The output of the flow. If one member is the answer as text, it comes first, for clients that show only
 * text.
 */
export function responseParts(response: JsonObject): Part[] {
  const text = findAnswerText(response);
  return [...(text === undefined ? [] : [textPart(text)]), dataPart(response)];
}

/** The member `answer`, `text`, or the only one, if it is a string. */
function findAnswerText(response: JsonObject): string | undefined {
  const values = Object.values(response);
  const candidates = [response.answer, response.text, values.length === 1 ? values[0] : undefined];
  return candidates.find((value) => typeof value === 'string');
}
