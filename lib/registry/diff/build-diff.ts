// The form of a diff: what differs between two builds, section by section.
import * as z from 'zod';
import { registryId } from '#lib/ids.ts';

const change = z
  .strictObject({
    name: z.string(),
    change: z.enum(['added', 'removed', 'changed']),
    breaking: z
      .boolean()
      .meta({ description: 'Callers of the other build may fail with this one, or may not call it at all.' }),
    was: z.string().optional().meta({ description: 'Short values only.' }),
    now: z.string().optional(),
    members: z
      .array(z.string())
      .optional()
      .meta({ description: 'The members that differ, if the part was changed.' }),
  })
  .meta({ id: 'BuildChange' });
export type Change = z.infer<typeof change>;

const section = (description: string) => z.array(change).meta({ description });

export const buildDiff = z
  .strictObject({
    from: registryId.optional().meta({ description: 'The build compared with; left out when none is live.' }),
    to: registryId,
    breaking: z.boolean().meta({ description: 'Whether any change is.' }),
    card: section('Members of the Agent Card, and the visibility of the agent.'),
    skills: section('By id. Breaking: removed, or takes or gives fewer MIME types.'),
    extensions: section(
      'Extensions on the card, by URI. Breaking: removed, or required where it was not before.',
    ),
    input_modes: section('Default input MIME types of the card. Breaking: removed.'),
    output_modes: section('Default output MIME types of the card. Breaking: removed.'),
    input: section(
      'Schema of `user_variables`: its members as `user_variables.name`, the rest as `user_variables`. Breaking: the new build may refuse what a caller of the other sends, by a conservative rule: a member is required where it was not, a type, enum, bound or pattern is narrower or cannot be compared, or members that are not declared are refused from now on. A new optional member is not breaking.',
    ),
    output: section(
      'Schema of the response: its members as `response.name`, the rest as `response`. Breaking: a member is removed or no longer certain, or a type, enum or bound is wider or cannot be compared. A new member is not breaking.',
    ),
    nodes: section('Nodes of the flow by id; `was` and `now` are their types.'),
    egress: section('Hosts that the flow may reach.'),
    reaches: section('MCP servers, agents and flows that the flow may call.'),
    models: section('Models by name; `was` and `now` are what they stand for.'),
    connections: section('Connections by name; `was` and `now` are their types.'),
    env_variable: section('Names only.'),
    tool_config: section('Names only.'),
  })
  .meta({ id: 'BuildDiff' });
export type BuildDiff = z.infer<typeof buildDiff>;
