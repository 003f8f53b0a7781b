// `end`: ends the run. Its output is the run's response; it may add artifacts.
import * as z from 'zod';
import type { Json, JsonObject } from '#lib/json/json.ts';
import { jsonBytes } from '#lib/json/size.ts';
import { lazy } from '#lib/lazy.ts';
import type { Step } from '../engine/node-context.ts';
import type { Artifact, Ending } from '../engine/output.ts';
import type { RenderAt } from '../expression/evaluation.ts';
import { template } from '../expression/template.ts';
import { definedOnly, isObject } from '../format/json-value.ts';
import { limits } from '../format/limits.ts';
import { NodeError } from '../format/node-error.ts';
import { everyNode } from '../format/node-fields.ts';
import { apart, ruled } from '../format/notes.ts';
import { artifactLabels, contentFields, contentRule, prepareContent, toLabels } from './content.ts';
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
      })
      .meta({ description: 'Ends the run; its output is the response.' }),
    [
      apart(
        ['artifacts', 'as'],
        { as: ['message', 'rejected'] },
        'expected no `artifacts` beside this `as`: only a task has them',
      ),
    ],
  ),
);

type EndNode = z.infer<ReturnType<typeof endSchema>>;

export const end: NodeType<EndNode> = {
  templates: ['output', 'artifacts'],
  prepare: (node) => {
    const output = template(node.output);
    const artifacts = node.artifacts && prepareArtifacts(node.artifacts);
    const toStep = (value: Json, made?: readonly Artifact[]): Step => ({
      output: null,
      ending: toEnding(requireObject('output', value, 'end.not_object'), node.as, made),
    });
    if (!artifacts) return ({ at }) => after(output(at), (value) => toStep(value));
    return async ({ at }) => toStep(await output(at), await artifacts(at));
  },
};

const toEnding = (response: JsonObject, as: Ending['as'], artifacts?: readonly Artifact[]): Ending => ({
  response,
  ...(as !== undefined && { as }),
  ...(artifacts && { artifacts }),
});

function prepareArtifacts(fields: readonly ArtifactFields[]): (at: RenderAt) => Promise<readonly Artifact[]> {
  const parts = fields.map(({ name, description, ...content }) => ({
    labels: template(definedOnly({ name, description })),
    content: prepareContent(content),
  }));
  return async (at) => {
    const artifacts: Artifact[] = [];
    for (const { labels, content } of parts) {
      const filled = await labels(at);
      artifacts.push({ ...toLabels(isObject(filled) ? filled : {}), ...(await content(at)) });
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
