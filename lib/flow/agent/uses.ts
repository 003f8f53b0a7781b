// What an agent may reach, and how often it may ask models, as far as the flow says.
import { limits } from '../format/limits.ts';
import type { ModelUse, Uses } from '../nodes/node-type.ts';
import type { AgentFields, ChildFields } from './definition.ts';

export function agentUses(agent: AgentFields): Uses {
  const { agents = [] } = agent;
  const own = modelUse(agent);
  const tools = [agent, ...agents].flatMap((one) => one.tools ?? []);
  return {
    urls: tools.flatMap(({ http }) => http?.url ?? []),
    servers: tools.flatMap(({ mcp }) => mcp ?? []),
    agents: tools.flatMap(({ a2a }) => a2a ?? []),
    discovers: tools.flatMap(({ discover }) => discover ?? []),
    flows: tools.flatMap(({ flow }) => flow ?? []),
    connections: tools.flatMap(({ http, connection }) => http?.connection ?? connection ?? []),
    models: [own, ...agents.map((child) => delegated(modelUse(child), own))],
  };
}

const modelUse = ({ model, max_turns = limits.agentTurnsDefault }: AgentFields | ChildFields): ModelUse => ({
  name: model,
  calls: max_turns,
});

/** Each turn may hand over work as often as it may use tools. */
const delegated = ({ name, calls }: ModelUse, own: ModelUse): ModelUse => ({
  name,
  calls: calls * own.calls * limits.toolUsesPerTurnMax,
});
