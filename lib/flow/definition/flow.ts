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
  z
    .strictObject({
      provider: z
        .enum(['bedrock', 'openai-compatible'])
        .optional()
        .meta({ description: 'The provider; without it, `model` is a name that the tenant has configured.' }),
      model: z
        .string()
        .min(1)
        .max(256)
        .optional()
        .meta({ description: 'Name of the model: that of the tenant, or of the provider.' }),
      base_url: noted(webUrl({ protocol: /^https?$/, error: 'expected an http(s) URL' }), {
        pattern: '^[Hh][Tt][Tt][Pp][Ss]?:',
      })
        .optional()
        .meta({ description: "Base URL of the provider's API; tells two providers of the same kind apart." }),
      ...settingFields(),
      fallback: declaredName()
        .optional()
        .meta({ description: 'Name of the model to call when a call fails with any error but a timeout.' }),
    })
    .meta({ title: 'Model', description: 'A model of the tenant or, with `provider`, of that provider.' }),
  [needs('provider', 'model', []), needs('base_url', 'provider', [])],
  'model',
);

/** Everything but the nodes, which are read one by one so that each mistake has its location. */
export const flowHead = {
  version: z.literal(1).meta({ description: 'Version of the format.' }),
  name: z.string().min(1).max(200).meta({ description: 'Name of the flow for people.' }),
  description: z.string().max(2000).optional().meta({ description: 'What the flow is for.' }),
  input: jsonSchema().optional().meta({
    description:
      'JSON Schema of `user_variables`; a run whose variables do not match ends with `input.invalid`.',
  }),
  output: jsonSchema().optional().meta({
    description:
      'JSON Schema of the response; a response that does not match ends the run with `output.invalid`.',
  }),
  state: assignments()
    .optional()
    .meta({ description: 'Variables of the run by name, with their initial values.' }),
  models: z
    .record(declaredName(), modelChoice)
    .optional()
    .meta({ description: 'Models by name; nodes that name no model use `default`.' }),
  connections: z
    .record(declaredName(), connectionDeclaration())
    .optional()
    .meta({ description: 'Credentials that the flow needs, by name; their values are stored elsewhere.' }),
  egress: z
    .array(hostEntry())
    .max(limits.egressHostsMax)
    .optional()
    .meta({
      description: 'Hosts that requests, MCP servers and agents may use; `*.` means subdomains.',
      examples: [['api.example.com', 'localhost:8080', '*.example.org']],
    }),
  limits: flowLimits.optional().meta({ description: 'Limits of a run.' }),
  start: nodeId().meta({ description: 'Id of the first node.' }),
  tests: z
    .array(flowTest)
    .max(limits.testsMax)
    .optional()
    .meta({ description: 'Tests of the flow; `npm run flow -- test` and the service run them.' }),
  $schema: z
    .string()
    .max(2048)
    .optional()
    .meta({ description: 'Where editors find this format; the service does not read it.' }),
};

const nodes = noted(z.record(nodeId(), nodeSchema()), {
  minProperties: 1,
  maxProperties: limits.nodesMax,
}).meta({ description: 'The nodes by id: a lower-case letter, then up to 63 of a-z, 0-9 and _.' });

export const flowSchema = z.strictObject({ ...flowHead, nodes }).meta({
  title: 'Flow v1',
  description: 'A flow: its nodes, their order, and the hosts, models and credentials that they use.',
});

export type Flow = Omit<z.infer<typeof flowSchema>, 'nodes'> & { nodes: Record<string, FlowNode> };
