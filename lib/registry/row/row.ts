// Registry rows and flows in the API, and the bodies that create and replace a row.
import * as z from 'zod';
import { flowid, orgid, registryId, workspaceid } from '#lib/ids.ts';
import { built } from '#lib/json/built-schema.ts';
import { jsonObject } from '#lib/json/json.ts';
import { jsonBytes, tooLarge } from '#lib/json/size.ts';
import { agentCard } from './agent-card.ts';
import { agentCardInput } from './agent-card-input.ts';
import { cardText } from './card-text.ts';
import { bytesMax, envVariable, status, visibility } from './stored-row.ts';

const flowDocument = jsonObject.meta({ description: 'The flow, in Flow v1 (docs/flows.md).' });
const toolConfig = jsonObject
  .refine((value) => jsonBytes(value) <= bytesMax.toolConfig, tooLarge(bytesMax.toolConfig))
  .meta({
    description: 'Exported tool configuration, kept beside the build as it is.',
  });
const timestamp = z.string().meta({ format: 'date-time', description: 'RFC 3339, UTC.' });

export const registryRow = /* @__PURE__ */ z.lazy(() =>
  z
    .strictObject({
      a2aregistryid: registryId,
      flowid,
      flow_version: z.string().optional(),
      label: z.string().optional(),
      note: z.string().optional(),
      build_no: z
        .int()
        .positive()
        .meta({ description: 'Counts the builds of a flow in its workspace, from 1.' }),
      workspaceid,
      orgid,
      status,
      visibility,
      agent_card: agentCard,
      tags: z.array(z.string()),
      hosted_url: z.string().meta({
        description:
          'Where A2A clients call this build: the live or the test pattern. Ends with a slash, so that clients find the card below it; calls without the slash are served too.',
      }),
      card_url: z.string(),
      tool_config: toolConfig.optional(),
      env_variable: envVariable.optional(),
      egress: z.array(z.string()).meta({ description: 'Hosts that the flow may reach.' }),
      version: z.int().positive().meta({ description: 'Goes up by one with every change of the row.' }),
      created_at: timestamp,
      updated_at: timestamp,
      created_by: z.string(),
      flow: flowDocument.optional().meta({ description: 'Only with `flow=true`.' }),
    })
    .meta({ id: 'RegistryRow' }),
);
export type RegistryRow = z.infer<typeof registryRow>;

/** What promotion and rollback answer: the row that is live now, and the one that no longer is. */
export const liveRegistryRow = /* @__PURE__ */ z.lazy(() =>
  built(registryRow)
    .extend({
      demoted: registryId
        .optional()
        .meta({ description: 'The build that this change returned to test; left out when there was none.' }),
    })
    .meta({ id: 'LiveRegistryRow' }),
);
export type LiveRegistryRow = z.infer<typeof liveRegistryRow>;

/** A flow of a workspace. */
export const registryFlow = /* @__PURE__ */ z.lazy(() =>
  z
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
    .meta({ id: 'RegistryFlow' }),
);
export type RegistryFlow = z.infer<typeof registryFlow>;

const writable = {
  flow_version: z.string().trim().min(1).max(64).optional(),
  label: cardText(80).optional().meta({
    description: 'A name of the build for its own organisation, such as `spring sale`. Not on the card.',
  }),
  note: cardText(2_000).optional().meta({
    description: 'What the organisation should know of the build. Not on the card.',
  }),
  visibility: visibility.optional().meta({ description: 'Default: organization.' }),
  agent_card: agentCardInput,
  tool_config: toolConfig.optional(),
  env_variable: envVariable.optional(),
};
export const createBody = z
  .strictObject({ flowid, ...writable, flow: flowDocument })
  .meta({ id: 'CreateRegistryRow' });
export const updateBody = /* @__PURE__ */ z.lazy(() =>
  z
    .strictObject({
      ...writable,
      flow: flowDocument
        .optional()
        .meta({ description: 'Left out, the stored flow stays; all other members are replaced.' }),
    })
    .meta({ id: 'UpdateRegistryRow' }),
);
export type CreateBody = z.infer<typeof createBody>;
export type UpdateBody = z.infer<typeof updateBody>;
