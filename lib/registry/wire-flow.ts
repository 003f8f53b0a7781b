// A flow of a workspace as callers see it.
import * as z from 'zod';
import { flowid, registryId } from '#lib/ids.ts';
import type { StoredFlow } from './stored-row.ts';

export const registryFlow = z
  .strictObject({
    flowid,
    name: z.string().meta({ description: 'From the card of the build that was registered last.' }),
    build_count: z.int().positive().meta({ description: 'Builds that exist.' }),
    live: registryId.nullable().meta({ description: 'The live build, or null.' }),
    updated_at: z.string().meta({
      format: 'date-time',
      description: 'When a build was last registered, promoted or deleted.',
    }),
  })
  .meta({ id: 'RegistryFlow' });
export type RegistryFlow = z.infer<typeof registryFlow>;

export const wireFlow = (flow: StoredFlow): RegistryFlow => ({
  flowid: flow.flowid,
  // Flows that were registered before names were kept have none until their next build.
  name: flow.name ?? flow.flowid,
  build_count: flow.build_count,
  live: flow.live ?? null,
  updated_at: flow.updated_at,
});
