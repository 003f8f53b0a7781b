// `reply`: sends a message or an artifact to the caller during the run. When a run is resumed after a crash,
// it may be sent twice.
import * as z from 'zod';
import type { Json } from '#lib/json/json.ts';
import { lazy } from '#lib/lazy.ts';
import { preview } from '../engine/log-preview.ts';
import type { Annotations, ArtifactChunk, Content } from '../engine/output.ts';
import { type Render, template, trimExpression } from '../expression/template.ts';
import { asText } from '../expression/text.ts';
import { definedOnly, isObject } from '../format/json-value.ts';
import { NodeError } from '../format/node-error.ts';
import { everyNode, onward } from '../format/node-fields.ts';
import { apart, named, ruled } from '../format/notes.ts';
import {
  annotationFields,
  artifactLabels,
  contentFields,
  contentNames,
  contentRule,
  prepareContent,
  toAnnotations,
  toLabels,
} from './content.ts';
import { oneExpression } from './expression-field.ts';
import type { NodeType } from './node-type.ts';

const flag = () =>
  z
    .union([z.boolean(), oneExpression('expected true, false, or one expression that gives one of them')])
    .optional();

const artifact = () =>
  named(
    'artifact_chunk',
    z
      .strictObject({
        artifact_id: z.string().min(1).max(256).meta({
          description:
            'Id of the artifact: replies with the same id replace it or, with `append`, extend it.',
        }),
        ...artifactLabels(),
        append: flag().meta({
          description:
            'Whether this is added to the artifact: true, false, or one expression that gives one of them.',
        }),
        last_chunk: flag().meta({
          description:
            'Whether this completes the artifact: true, false, or one expression that gives one of them.',
        }),
      })
      .meta({
        title: 'Artifact of a reply',
        description: 'An output of the run that is sent during the run.',
      }),
  );

export const replySchema = /* @__PURE__ */ lazy(() =>
  ruled(
    z
      .strictObject({
        type: z.literal('reply'),
        ...everyNode(),
        ...onward(),
        ...contentFields(),
        ...annotationFields(),
        artifact: artifact()
          .optional()
          .meta({ description: 'Sends the content as an artifact of the run, whole or in chunks.' }),
        as: z.enum(['message', 'status']).optional().meta({
          description:
            'What callers over A2A see: a message of the conversation, or only what the run does at the moment.',
          default: 'message',
        }),
      })
      .meta({
        description:
          'Sends a message or an artifact to the caller during the run; the output is what was sent.',
      }),
    [
      contentRule(),
      apart(['artifact', 'as'], {}, 'expected either `artifact` or `as`: an artifact is not a message'),
      apart(
        ['artifact', 'metadata'],
        {},
        'expected `metadata` inside `artifact`, because this reply is an artifact and not a message',
      ),
      apart(
        ['artifact', 'extensions'],
        {},
        'expected `extensions` inside `artifact`, because this reply is an artifact and not a message',
      ),
    ],
  ),
);

type ReplyNode = z.infer<ReturnType<typeof replySchema>>;

export const reply: NodeType<ReplyNode> = {
  templates: [...contentNames, 'metadata', 'extensions', 'artifact'],
  onlyComputes: true,
  prepare: (node) => {
    const content = prepareContent(node);
    const artifact = node.artifact && prepareArtifact(node.artifact);
    const { metadata, extensions } = node;
    const annotations = (metadata ?? extensions) && template(definedOnly({ metadata, extensions }));
    return async (context) => {
      const sent = {
        ...(await content(context)),
        ...(annotations && toMessageAnnotations(await annotations(context.at))),
        ...(artifact && { artifact: toChunk(await artifact(context.at)) }),
        ...(node.as === 'status' && { as: node.as }),
      };
      context.reply(sent);
      return { output: { ...sent }, note: describeReply(sent) };
    };
  },
};

const prepareArtifact = ({ append, last_chunk, ...labels }: NonNullable<ReplyNode['artifact']>): Render =>
  template(
    definedOnly({ ...labels, append: trimExpression(append), last_chunk: trimExpression(last_chunk) }),
  );

const toMessageAnnotations = (filled: Json): Annotations =>
  toAnnotations(isObject(filled) ? filled : {}, 'content.bad_message');

function toChunk(filled: Json): ArtifactChunk {
  const { artifact_id, append, last_chunk, ...labels } = isObject(filled) ? filled : {};
  const id = asText(artifact_id ?? null);
  if (id === '' || id.length > 256)
    throw new NodeError('content.bad_artifact', 'artifact.artifact_id: expected 1 to 256 characters.');
  return {
    artifact_id: id,
    ...toLabels(labels),
    ...(append !== undefined && { append: append === true }),
    ...(last_chunk !== undefined && { last_chunk: last_chunk === true }),
  };
}

function describeReply(sent: Content & { readonly artifact?: ArtifactChunk }): string {
  if (sent.artifact) return `sent a part of "${sent.artifact.artifact_id}"`;
  if (sent.text !== undefined) return `said: ${preview(sent.text, 200)}`;
  return sent.file ? 'sent a file' : 'sent data';
}
