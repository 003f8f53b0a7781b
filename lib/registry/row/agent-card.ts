// The Agent Card (A2A v1.0.1 §4.4) as it is stored, signed and served. Functions that run flows load it, so what only
// clients send is in agent-card-input.ts.
import * as z from 'zod';
import { jsonObject } from '#lib/json/json.ts';

/** No member has its default value, such as `required: false` (§8.4.1). */
const agentExtension = /* @__PURE__ */ z.lazy(() =>
  z.strictObject({
    uri: z.string(),
    description: z.string().optional(),
    required: z.boolean().optional(),
    params: jsonObject.optional(),
  }),
);
export type AgentExtension = z.infer<typeof agentExtension>;

/** The extension that says which build answers, in cards for callers of the organisation. */
export const buildExtension = 'urn:agent-flow:extension:build';

const publishedSkill = /* @__PURE__ */ z.lazy(() =>
  z.strictObject({
    id: z.string(),
    name: z.string(),
    description: z.string(),
    tags: z.array(z.string()).min(1),
    examples: z.array(z.string()).optional(),
    inputModes: z.array(z.string()).optional(),
    outputModes: z.array(z.string()).optional(),
  }),
);

/** ProtoJSON names and values, as they are signed and served. */
export const agentCard = /* @__PURE__ */ z.lazy(() =>
  z
    .strictObject({
      name: z.string(),
      description: z.string(),
      supportedInterfaces: z
        .array(z.strictObject({ url: z.string(), protocolBinding: z.string(), protocolVersion: z.string() }))
        .min(1),
      provider: z.strictObject({ organization: z.string(), url: z.string() }).optional(),
      version: z.string(),
      documentationUrl: z.string().optional(),
      capabilities: z.strictObject({
        streaming: z.boolean(),
        pushNotifications: z.boolean(),
        extendedAgentCard: z.boolean(),
        extensions: z.array(agentExtension).optional(),
      }),
      securitySchemes: z.record(z.string(), z.unknown()),
      securityRequirements: z.array(z.unknown()),
      defaultInputModes: z.array(z.string()).min(1),
      defaultOutputModes: z.array(z.string()).min(1),
      skills: z.array(publishedSkill).min(1),
      signatures: z.array(z.strictObject({ protected: z.string(), signature: z.string() })).optional(),
      iconUrl: z.string().optional(),
    })
    .meta({ id: 'AgentCard' }),
);
export type AgentCard = z.infer<typeof agentCard>;
