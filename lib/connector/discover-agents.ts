// The tool `discover_agents`: the agents that fit a question, best first.
import * as z from 'zod';
import { search } from '#lib/discovery/search.ts';
import { words } from '#lib/http/parameters.ts';
import { status } from '#lib/registry/row/stored-row.ts';
import { agent, describeAgents, readOnly, requireReader, toAgent } from './agents.ts';
import { defineTool } from './tool.ts';

const found = agent.extend({
  score: z.number().meta({ description: 'Higher is better, within one answer.' }),
});

export const discoverAgents = defineTool({
  name: 'discover_agents',
  title: 'Find agents',
  description:
    'Finds agents by what they can do: describe the task in your own words. Returns the agents that fit best, with the registry_id that call_agent takes.',
  input: z.strictObject({
    query: words(500).meta({
      description: 'The task, in natural language.',
      examples: ['where is my order'],
    }),
    tags: z
      .array(words(127))
      .min(1)
      .max(20)
      .optional()
      .meta({ description: 'Only agents that have one of these tags.' }),
    input_mode: words(127).optional().meta({ description: 'Only agents that take this MIME type.' }),
    output_mode: words(127).optional().meta({ description: 'Only agents that answer in this MIME type.' }),
    status: status.optional().meta({
      description: 'live by default; test for the builds of your workspaces that are not live.',
    }),
    limit: z.int().min(1).max(20).optional().meta({ description: 'Agents to return; default 10.' }),
  }),
  output: z.object({ agents: z.array(found) }),
  annotations: readOnly,
  call: async ({ query, tags, input_mode, output_mode, status, limit }, { request: { caller } }) => {
    const reader = requireReader(caller);
    const wanted = {
      q: query,
      tag: tags,
      input_mode: input_mode === undefined ? undefined : [input_mode],
      output_mode: output_mode === undefined ? undefined : [output_mode],
      status,
      limit,
    };
    const { hits } = await search(reader, wanted);
    const agents = hits.map((hit) => ({ ...toAgent(hit), score: hit.score }));
    return { text: describeAgents(agents) || nothingFound, structured: { agents } };
  },
});

const nothingFound =
  'No agent that you may call fits this. Try other words, or list_agents, which lists them all.';
