// `end`: ends the run. Its output is the run's response; it may add artifacts.
import * as z from 'zod';
import type { Json } from '#lib/json/json.ts';
import { jsonBytes } from '#lib/json/size.ts';
import { lazy } from '#lib/lazy.ts';
import type { Step } from '../engine/node-context.ts';
import type { Artifact, Ending } from '../engine/output.ts';
import { template, typedTemplate } from '../expression/template.ts';
import { asText } from '../expression/text.ts';
import { definedOnly, isObject } from '../format/json-value.ts';
import { limits } from '../format/limits.ts';
import { NodeError } from '../format/node-error.ts';
import { everyNode } from '../format/node-fields.ts';
import { apart, named, ruled } from '../format/notes.ts';
import {
  artifactLabels,
  type ContentContext,
  contentFields,
  contentRule,
  prepareContent,
  toLabels,
} from './content.ts';
import { after, type NodeType } from './node-type.ts';
import { objectField, requireObject } from './object-field.ts';

const artifact = () =>
  ruled(
    z
      .strictObject({ ...artifactLabels(), ...contentFields() })
      .meta({ title: 'Artifact', description: 'An output of the run beside its response.' }),
    [contentRule()],
    'artifact',
  );

const responseArtifact = () =>
  named(
    'response_artifact',
    z.strictObject(artifactLabels()).meta({
      title: 'Labels of the response',
      description: 'Name, description, metadata and extensions of the artifact that the response is.',
    }),
  );

type ArtifactFields = z.infer<ReturnType<typeof artifact>>;

export const endSchema = /* @__PURE__ */ lazy(() =>
  ruled(
    z
      .strictObject({
        type: z.literal('end'),
        ...everyNode(),
        output: objectField().meta({
          description: 'The response: an object with templates, or one expression that gives an object.',
        }),
        as: z
          .enum(['task', 'message', 'rejected'])
          .optional()
          .meta({ description: 'How callers over A2A are answered.', default: 'task' }),
        artifacts: z
          .array(artifact())
          .min(1)
          .max(limits.artifactsMax)
          .optional()
          .meta({ description: 'Further outputs beside the response; only of a task.' }),
        message: z.string().min(1).optional().meta({
          description: 'Text of the status with which the task of callers over A2A ends; template.',
        }),
        response_artifact: responseArtifact()
          .optional()
          .meta({ description: 'Labels of the artifact that the response is for callers over A2A.' }),
      })
      .meta({ description: 'Ends the run; its output is the response.' }),
    [
      apart(
        ['artifacts', 'as'],
        { as: ['message', 'rejected'] },
        'expected no `artifacts` together with this `as`: only a task has them',
      ),
      apart(
        ['message', 'as'],
        { as: ['message'] },
        'expected no `message` together with this `as`: the response is the message',
      ),
      apart(
        ['response_artifact', 'as'],
        { as: ['message', 'rejected'] },
        'expected no `response_artifact` together with this `as`: the response is a message',
      ),
    ],
  ),
);

type EndNode = z.infer<ReturnType<typeof endSchema>>;

export const end: NodeType<EndNode> = {
  templates: ['output', 'artifacts', 'message', 'response_artifact'],
  onlyComputes: true,
  prepare: (node) => {
    const output = typedTemplate(node.output);
    const prepareExtras = prepareEndExtras(node);
    const toStep = (value: Json, extras: EndExtras = {}): Step => ({
      output: null,
      ending: {
        response: requireObject('output', value, 'end.not_object'),
        ...(node.as !== undefined && { as: node.as }),
        ...extras,
      },
    });
    if (!prepareExtras) return ({ at }) => after(output(at), (value) => toStep(value));
    return async (context) => toStep(await output(context.at), await prepareExtras(context));
  },
};

type EndExtras = Pick<Ending, 'artifacts' | 'message' | 'response_artifact'>;

/** What most ends do not have. */
function prepareEndExtras(node: EndNode): ((context: ContentContext) => Promise<EndExtras>) | undefined {
  const artifacts = node.artifacts && prepareArtifacts(node.artifacts);
  const message = node.message === undefined ? undefined : template(node.message);
  const labels = node.response_artifact && template(definedOnly(node.response_artifact));
  if (!artifacts && !message && !labels) return undefined;
  return async (context) => ({
    ...(artifacts && { artifacts: await artifacts(context) }),
    ...(message && { message: checkMessage(asText(await message(context.at))) }),
    ...(labels && {
      response_artifact: toLabels(
        requireObject('response_artifact', await labels(context.at), 'end.not_object'),
      ),
    }),
  });
}

function checkMessage(message: string): string {
  if (jsonBytes(message, limits.labelBytes) <= limits.labelBytes) return message;
  throw new NodeError('value.too_large', `message: expected at most ${limits.labelBytes} bytes.`);
}

function prepareArtifacts(
  fields: readonly ArtifactFields[],
): (context: ContentContext) => Promise<readonly Artifact[]> {
  const parts = fields.map(({ name, description, metadata, extensions, ...content }) => ({
    labels: template(definedOnly({ name, description, metadata, extensions })),
    content: prepareContent(content),
  }));
  return async (context) => {
    const artifacts: Artifact[] = [];
    for (const { labels, content } of parts) {
      const filled = await labels(context.at);
      artifacts.push({ ...toLabels(isObject(filled) ? filled : {}), ...(await content(context)) });
    }
    // Each artifact is limited in size; this limits all of them, which are stored together with the response.
    const bytes = artifacts.reduce((sum, one) => sum + jsonBytes({ ...one }, limits.responseBytes), 0);
    if (bytes <= limits.responseBytes) return artifacts;
    throw new NodeError(
      'value.too_large',
      `artifacts: expected at most ${limits.responseBytes} bytes of JSON.`,
    );
  };
}
