// The tools `search` and `fetch`, under the names and in the form that ChatGPT takes for research: finding agents, and
// reading what one can do. Off by default, since they offer nothing that the other tools do not.
import * as z from 'zod';
import { search } from '#lib/discovery/search.ts';
import { optionalEnv, requireEnv } from '#lib/env.ts';
import { words } from '#lib/http/parameters.ts';
import { registryId } from '#lib/ids.ts';
import { requireAgent } from './agent-task.ts';
import { type Agent, describeAgents, readOnly, requireReader, toAgent } from './agents.ts';
import { defineTool, type Tool, type ToolAnswer } from './tool.ts';

const result = z.object({ id: z.string(), title: z.string(), url: z.string() });
const document = result.extend({ text: z.string(), metadata: z.record(z.string(), z.string()) });

const searchAgents = defineTool({
  name: 'search',
  title: 'Search agents',
  description: 'Finds agents by what they can do. fetch shows more of one of them, by its id.',
  input: z.strictObject({ query: words(500).meta({ description: 'What an agent is to do.' }) }),
  output: z.object({ results: z.array(result) }),
  annotations: readOnly,
  call: async ({ query: q }, { request: { caller } }) => {
    requireReader(caller);
    const { hits } = await search(caller, { q, limit: 10 });
    return toJson({ results: hits.map((hit) => toResult(toAgent(hit))) });
  },
});

const fetchAgent = defineTool({
  name: 'fetch',
  title: 'Show an agent',
  description: 'Shows what an agent can do, by the id that search returns.',
  input: z.strictObject({ id: registryId.meta({ description: 'The id of the agent.' }) }),
  output: document,
  annotations: readOnly,
  call: async ({ id }, { request }) => {
    requireReader(request.caller);
    const { row } = await requireAgent(id, { request });
    const agent = toAgent({ row });
    const metadata = { flow_id: agent.flow_id, status: agent.status };
    return toJson({ ...toResult(agent), text: describeAgents([agent]), metadata });
  },
});

/** Clients read the JSON of the text. */
const toJson = (structured: object): ToolAnswer => ({ text: JSON.stringify(structured), structured });

/** The address is that of the Agent Card, which an answer can cite. */
const toResult = ({ registry_id: id, name: title }: Agent) => ({
  id,
  title,
  url: `${requireEnv('GATEWAY_URL')}/api/v1/ai/a2a/agents/${id}/.well-known/agent-card.json`,
});

const searchTools: readonly Tool[] = [searchAgents, fetchAgent];

/** Those that the tenant has switched on. */
export const listSearchTools = (): readonly Tool[] =>
  optionalEnv('CONNECTOR_SEARCH_TOOLS') === 'true' ? searchTools : [];
