// Flow v1: the shape of a flow and of its top-level parts. What a shape cannot say is in `check.ts`; node types are in `nodes/`.
import * as z from 'zod';
import { webUrl } from '#lib/web-url.ts';
import { connectionDeclaration } from '../format/connection.ts';
import { declaredName, hostEntry } from '../format/declaration.ts';
import { flowLimits } from '../format/flow-limits.ts';
import { limits } from '../format/limits.ts';
import { assignments, jsonSchema, nodeId } from '../format/node-fields.ts';
import { needs, noted, ruled } from '../format/notes.ts';
import { settingFields } from '../nodes/model-settings.ts';
import { flowTest } from './flow-test.ts';
import { type FlowNode, nodeSchema } from './node-types.ts';

/** `model` alone names a model of the tenant; with `provider` it is that provider's model, which the tenant must have configured too. */
const modelChoice = ruled(
  z.strictObject({
    provider: z.enum(['bedrock', 'openai-compatible']).optional(),
    model: z.string().min(1).max(256).optional(),
    base_url: noted(webUrl({ protocol: /^https?$/, error: 'expected an http(s) URL' }), {
      pattern: '^[Hh][Tt][Tt][Pp][Ss]?:',
    }).optional(),
    ...settingFields(),
    fallback: declaredName.optional(),
  }),
  [needs('provider', 'model', []), needs('base_url', 'provider', [])],
  'model',
);

/** Everything but the nodes, which are read one by one so that each mistake is told where it is. */
export const flowHead = {
  version: z.literal(1),
  name: z.string().min(1).max(200),
  description: z.string().max(2000).optional(),
  input: jsonSchema().optional(),
  output: jsonSchema().optional(),
  state: assignments().optional(),
  models: z.record(declaredName, modelChoice).optional(),
  connections: z.record(declaredName, connectionDeclaration).optional(),
  egress: z.array(hostEntry).max(limits.egressHostsMax).optional(),
  limits: flowLimits.optional(),
  start: nodeId(),
  tests: z.array(flowTest).max(limits.testsMax).optional(),
  /** For editors, which find the format there. */
  $schema: z.string().max(2048).optional(),
};

const nodes = noted(z.record(nodeId(), nodeSchema()), { minProperties: 1, maxProperties: limits.nodesMax });

export const flowSchema = z.strictObject({ ...flowHead, nodes });

export type Flow = Omit<z.infer<typeof flowSchema>, 'nodes'> & { nodes: Record<string, FlowNode> };
