// An agent as a flow declares it: its tools, its child agents, and what it captures from the conversation.
// Schemas only; further checks are in `check.ts`.
import * as z from 'zod';
import { flowid } from '#lib/ids.ts';
import { lazy } from '#lib/lazy.ts';
import { limits } from '../format/limits.ts';
import { jsonSchema, stateName } from '../format/node-fields.ts';
import { named, ruled } from '../format/notes.ts';
import { requestFields, requestRules } from '../nodes/http-request.ts';
import { settingFields } from '../nodes/model-settings.ts';
import { agentFilter } from '../nodes/remote-agent.ts';
import { streamField } from '../nodes/streamed.ts';
import { agentPlace, fixedUrl } from '../nodes/url-field.ts';

/** The form that providers of models accept. */
const toolName = () =>
  z
    .string()
    .regex(
      /^[a-zA-Z][a-zA-Z0-9_-]{0,63}$/,
      'expected a name: a letter, then up to 63 letters, digits, _ and -',
    );

const description = () => z.string().min(1).max(limits.toolDescriptionChars);

const timeout = () => z.number().positive().max(limits.nodeSecondsMax).optional();

const request = () => ruled(z.strictObject(requestFields()), requestRules(), 'tool_request');

/** One of the kinds, with the fields of that kind. */
export const tool = lazy(() =>
  z.strictObject({
    http: request().optional(),
    mcp: fixedUrl().optional(),
    flow: flowid.optional(),
    a2a: agentPlace().optional(),
    discover: agentFilter().optional(),
    name: toolName().optional(),
    description: description().optional(),
    parameters: jsonSchema().optional(),
    tools: z.array(z.string().min(1).max(256)).min(1).max(limits.agentToolsMax).optional(),
    connection: z.string().optional(),
    approval: z.enum(['never', 'always']).optional(),
    timeout_seconds: timeout(),
  }),
);

export type ToolFields = z.infer<ReturnType<typeof tool>>;
export type ToolKind = 'http' | 'mcp' | 'flow' | 'a2a' | 'discover';

/** Fields that tools of every kind take. */
export const everyTool = ['approval', 'timeout_seconds'] as const;

/** Further fields of each kind. */
export const toolKinds: Readonly<
  Record<
    ToolKind,
    { readonly needs: readonly (keyof ToolFields)[]; readonly takes: readonly (keyof ToolFields)[] }
  >
> = {
  http: { needs: ['name', 'description'], takes: ['parameters'] },
  mcp: { needs: [], takes: ['name', 'tools', 'connection'] },
  flow: { needs: ['name', 'description'], takes: ['parameters'] },
  a2a: { needs: ['name', 'description'], takes: ['connection'] },
  discover: { needs: ['name', 'description'], takes: ['connection'] },
};

export const findKinds = (fields: ToolFields): readonly ToolKind[] =>
  (['http', 'mcp', 'flow', 'a2a', 'discover'] as const).filter((kind) => fields[kind] !== undefined);

const loopFields = () => ({
  instructions: z.string().min(1),
  model: z.string().optional(),
  tools: z.array(tool()).min(1).max(limits.agentToolsMax).optional(),
  max_turns: z.int().min(1).max(limits.agentTurnsMax).optional(),
});

const child = () =>
  named(
    'child_agent',
    z.strictObject({
      name: toolName(),
      description: description(),
      timeout_seconds: timeout(),
      ...loopFields(),
    }),
  );
export type ChildFields = z.infer<ReturnType<typeof child>>;

const captured = () =>
  named('captured', z.strictObject({ description: description(), schema: jsonSchema() }));

export const agentFields = () => ({
  ...loopFields(),
  input: z.string().min(1).optional(),
  agents: z.array(child()).min(1).max(limits.childAgentsMax).optional(),
  capture: z.record(stateName(), captured()).optional(),
  output_schema: jsonSchema().optional(),
  ...streamField(),
  ...settingFields(),
});

export type AgentFields = z.infer<z.ZodObject<ReturnType<typeof agentFields>>>;

/** The tool with which the model returns the values of `capture`. */
export const captureTool = 'capture';
