// The tool `list_agents`: all agents that the caller may call, newest first.
import * as z from 'zod';
import { search } from '#lib/discovery/search.ts';
import { status, visibility } from '#lib/registry/row/stored-row.ts';
import { agent, describeAgents, readOnly, requireReader, toAgent } from './agents.ts';
import { defineTool } from './tool.ts';

const agentsMax = 50;

export const listAgents = defineTool({
  name: 'list_agents',
  title: 'List agents',
  description:
    'Lists the agents that you may call, newest first, with the registry_id that call_agent takes. Use discover_agents to find one for a task.',
  input: z.strictObject({
    cursor: z
      .string()
      .max(2_048)
      .optional()
      .meta({ description: 'The next_cursor of the answer before, with otherwise the same arguments.' }),
    limit: z
      .int()
      .min(1)
      .max(agentsMax)
      .optional()
      .meta({ description: `Agents to return; default ${agentsMax}.` }),
    status: status.optional().meta({
      description: 'live by default; test for the builds of your workspaces that are not live.',
    }),
    visibility: visibility.optional().meta({
      description: 'Only agents that every organisation may call, or only those of your own.',
    }),
  }),
  output: z.object({ agents: z.array(agent), next_cursor: z.string().optional() }),
  annotations: readOnly,
  call: async ({ limit = agentsMax, ...query }, { request: { caller } }) => {
    const reader = requireReader(caller);
    const { hits, nextCursor } = await search(reader, { ...query, limit });
    const agents = hits.map(toAgent);
    const more =
      nextCursor === undefined ? '' : '\n\nThere are more agents: call list_agents with next_cursor.';
    return {
      text: agents.length > 0 ? `${describeAgents(agents)}${more}` : noAgents,
      structured: { agents, ...(nextCursor !== undefined && { next_cursor: nextCursor }) },
    };
  },
});

const noAgents = 'There is no agent that you may call.';
