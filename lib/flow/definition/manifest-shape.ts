// The schema of a manifest. The routes use it without loading the engine.
import * as z from 'zod';
import { jsonObject } from '#lib/json/json.ts';

const names = (description: string) => z.array(z.string()).meta({ description });
const bound = z.int().nonnegative();

export const flowManifest = z
  .strictObject({
    hosts: names(
      'Hosts that its requests name; all of `egress` if the URL of a request is data. Agents that it finds at run time are reached through the service.',
    ),
    models: names(
      'Models that its nodes call, with their fallbacks: the name of a model of the tenant, or `provider/model`; `default` is the default of the tenant.',
    ),
    mcp_servers: names('URLs.'),
    agents: names('Registry ids and URLs.'),
    discovers: z.array(jsonObject).meta({ description: 'Filters by which it finds further agents.' }),
    flows: names('Flows that it may call. What they reach is in their own manifests.'),
    connections: names('Connections that it uses.'),
    pauses: z.boolean().meta({ description: 'Whether a run may pause for an answer or until a time.' }),
    worst_case: z.strictObject({ steps: bound, model_calls: bound }).meta({
      description:
        'The most that a run uses, including the flows that it calls: the longest path through its nodes, unless its limits end it before.',
    }),
  })
  .meta({ id: 'FlowManifest' });
export type FlowManifest = z.infer<typeof flowManifest>;
