// Agents as the tools list them: what their cards show, for a model and for a person.
import * as z from 'zod';
import type { Caller } from '#lib/access/caller.ts';
import { narrowToPermission } from '#lib/access/caller.ts';
import type { Hit } from '#lib/discovery/search.ts';
import { readCard } from '#lib/registry/card/published-card.ts';
import { status } from '#lib/registry/row/stored-row.ts';

export const agent = z.object({
  registry_id: z.string().meta({ description: 'Identifies the agent for call_agent.' }),
  flow_id: z.string(),
  name: z.string(),
  description: z.string(),
  skills: z.array(
    z.object({ name: z.string(), description: z.string(), examples: z.array(z.string()).optional() }),
  ),
  tags: z.array(z.string()),
  status,
});
export type Agent = z.infer<typeof agent>;

/**
 * The caller in the workspaces that it may read, or else call agents in, as for the search of the REST API. An access token has a scope for it
 * instead, which is checked before.
 */
export const requireReader = (caller: Caller): Caller =>
  caller.token ? caller : narrowToPermission(caller, 'assistants.flows:read', 'assistants.flows:run');

export function toAgent({ row }: Pick<Hit, 'row'>): Agent {
  const { name, description, skills } = readCard(row);
  return {
    registry_id: row.a2aregistryid,
    flow_id: row.flowid,
    name,
    description,
    skills: skills.map((skill) => ({
      name: skill.name,
      description: skill.description,
      ...(skill.examples && { examples: [...skill.examples] }),
    })),
    tags: [...row.tags],
    status: row.status,
  };
}

/** One paragraph per agent. */
export const describeAgents = (agents: readonly Agent[]): string => agents.map(describeAgent).join('\n\n');

function describeAgent({ name, registry_id, status, description, skills, tags }: Agent): string {
  const state = status === 'test' ? ', test build' : '';
  return [
    `${name} (${registry_id}${state}): ${description}`,
    ...skills.map((skill) => `- ${skill.name}: ${skill.description}`),
    ...(tags.length > 0 ? [`Tags: ${tags.join(', ')}`] : []),
  ].join('\n');
}

export const readOnly = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
} as const;
