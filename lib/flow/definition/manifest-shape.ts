// The form of a manifest, apart from what computes it: descriptions of endpoints name it and load nothing of the engine.
import * as z from 'zod';
import { jsonObject } from '#lib/json/json.ts';

const names = (description: string) => z.array(z.string()).meta({ description });
const bound = z.int().nonnegative();

export const flowManifest = z
  .strictObject({
    hosts: names(
      'Hosts that its requests name. Agents that it finds at run time are reached through the service.',
    ),
    models: names(
      'What its nodes ask, with their fallbacks: a model of the tenant by its name, or `provider/model`; `default` is the default of the tenant.',
    ),
    mcp_servers: names('URLs.'),
    agents: names('Registry ids and URLs.'),
    discovers: z.array(jsonObject).meta({ description: 'Filters by which it finds further agents.' }),
    flows: names('Flows that it may call. What they reach is in their own manifests.'),
    connections: names('Connections that it uses.'),
    pauses: z.boolean().meta({ description: 'Whether a run may stop for an answer or a time.' }),
    worst_case: z.strictObject({ steps: bound, model_calls: bound }).meta({
      description:
        'What a run takes at most, with the flows it calls: the longest way through its nodes, where its limits do not end it before.',
    }),
  })
  .meta({ id: 'FlowManifest' });
export type FlowManifest = z.infer<typeof flowManifest>;
