// The artifacts of a run, assembled from the chunks that its flow has sent.
import * as z from 'zod';
import { json, jsonObject } from '#lib/json/json.ts';
import type { Content, Reply, TextChunk, TextPiece } from './output.ts';

const fileLabels = () => ({
  bytes: z.number().optional().meta({ description: 'Size of the content, where it is known.' }),
  media_type: z.string().optional(),
  filename: z.string().optional(),
});

const contentPart = /* @__PURE__ */ z.lazy(() =>
  z.union([
    z.strictObject({ text: z.string() }),
    z.strictObject({ data: json }),
    z.strictObject({
      file: z.union([
        z.strictObject({ raw: z.string().meta({ description: 'Base64.' }), ...fileLabels() }),
        z.strictObject({ url: z.string(), ...fileLabels() }),
        z.strictObject({
          file: z.string().meta({
            description: 'A stored file. `GET /api/v1/files/{fileid}` returns a URL to download it.',
          }),
          ...fileLabels(),
          bytes: z.number(),
        }),
      ]),
    }),
  ]),
);
export type ContentPart = z.infer<typeof contentPart>;

export const runArtifact = /* @__PURE__ */ z.lazy(() =>
  z
    .strictObject({
      artifact_id: z.string(),
      name: z.string().optional(),
      description: z.string().optional(),
      metadata: jsonObject.optional(),
      extensions: z.array(z.string()).optional(),
      parts: z.array(contentPart),
    })
    .meta({ id: 'RunArtifact' }),
);
export type RunArtifact = z.infer<typeof runArtifact>;

export function toContentParts({ text, data, file }: Content): ContentPart[] {
  return [
    ...(text === undefined ? [] : [{ text }]),
    ...(data === undefined ? [] : [{ data }]),
    ...(file === undefined ? [] : [{ file }]),
  ];
}

/** Streamed text of a node, as a chunk of an artifact that is named after the execution. */
export const toTextReply = ({ node_id, key, text }: Omit<TextPiece, 'chunk'>, chunk: TextChunk): Reply => ({
  node_id,
  text,
  artifact: { artifact_id: key, name: node_id, ...chunk },
});

/** Returns the artifacts in the order of their first chunks. */
export function assembleArtifacts(replies: readonly (Content & Pick<Reply, 'artifact'>)[]): RunArtifact[] {
  const begun = new Map<string, { labels: Omit<RunArtifact, 'parts'>; parts: ContentPart[] }>();
  for (const reply of replies) {
    if (!reply.artifact) continue;
    const { append, last_chunk: _last, ...given } = reply.artifact;
    const before = append ? begun.get(given.artifact_id) : undefined;
    const parts = before?.parts ?? [];
    parts.push(...toContentParts(reply));
    begun.set(given.artifact_id, { labels: { ...before?.labels, ...given }, parts });
  }
  return [...begun.values()].map((artifact) => ({ ...artifact.labels, parts: joined(artifact.parts) }));
}

/** Joins consecutive texts to one text, and consecutive bytes of one file to one file. */
function joined(parts: readonly ContentPart[]): ContentPart[] {
  const groups: [ContentPart, ...ContentPart[]][] = [];
  for (const part of parts) {
    const group = groups.at(-1);
    if (group && continuesPart(group[0], part)) group.push(part);
    else groups.push([part]);
  }
  return groups.map(whole);
}

function continuesPart(first: ContentPart, part: ContentPart): boolean {
  if ('text' in first) return 'text' in part;
  if (!('file' in first && 'file' in part && 'raw' in first.file && 'raw' in part.file)) return false;
  const { media_type = first.file.media_type, filename = first.file.filename } = part.file;
  return media_type === first.file.media_type && filename === first.file.filename;
}

function whole(group: readonly [ContentPart, ...ContentPart[]]): ContentPart {
  const [first] = group;
  if ('data' in first || ('file' in first && !('raw' in first.file))) return first;
  if ('text' in first) return { text: group.map((part) => ('text' in part ? part.text : '')).join('') };
  const chunks = group.map((part) =>
    Buffer.from('file' in part && 'raw' in part.file ? part.file.raw : '', 'base64'),
  );
  const content = Buffer.concat(chunks);
  return { file: { ...first.file, raw: content.toString('base64'), bytes: content.length } };
}
