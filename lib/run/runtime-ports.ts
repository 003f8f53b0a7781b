// The ports through which a run reaches the network and other agents. What all runs share is made from the function's environment with the
// first use; what belongs to one run, its connections and sessions, is made for it.
import { createAgentPort } from '#lib/a2a-client/port.ts';
import { createConnectionFetches } from '#lib/connection/connection-fetch.ts';
import type { FindConnection } from '#lib/connection/find.ts';
import { createHttpPort } from '#lib/connection/http-port.ts';
import { newTokenMemory } from '#lib/connection/oauth/token-memory.ts';
import { createDiscoverPort } from '#lib/discovery/discover-port.ts';
import { type EgressPolicy, parseEgressPolicy } from '#lib/egress/egress-policy.ts';
import { createGuardedFetch } from '#lib/egress/guarded-fetch.ts';
import { optionalEnv, requireEnv } from '#lib/env.ts';
import type { FlowPort, Ports } from '#lib/flow/engine/ports.ts';
import type { DeclaredConnections } from '#lib/flow/format/connection.ts';
import type { AgentPort, DiscoverPort } from '#lib/flow/ports/agent.ts';
import type { McpPort } from '#lib/flow/ports/mcp.ts';
import { createMcpPort } from '#lib/mcp/port.ts';
import { parseTenantModels } from '#lib/model/catalog.ts';
import { createModelPort } from '#lib/model/port.ts';
import { createFlowPort } from './called-flow.ts';
import type { StoredRun } from './stored-run.ts';
import { type Usage, usageOf } from './usage.ts';

export interface EgressPorts extends Pick<Ports, 'http' | 'model'> {
  readonly mcp: McpPort;
  readonly agent: AgentPort;
  readonly discover: DiscoverPort;
  readonly flows: FlowPort;
  /** At the end of the run. */
  readonly close: () => Promise<void>;
}

/**
 * Connections are of the flow's workspace and, where they are a user's, of the caller who started the run. `onUsage` hears what each answer
 * of a model has used.
 */
export function createEgressPorts(
  run: StoredRun,
  declared: DeclaredConnections,
  onUsage: (usage: Usage) => void,
): EgressPorts {
  shared ??= make();
  const { fetch, memory, model, models } = shared;
  const place = { orgid: run.orgid, workspaceid: run.workspaceid, user: run.caller_id };
  const find: FindConnection = async (name, declaration) => {
    const { createConnectionFinder } = await import('#lib/connection/find.ts');
    return await createConnectionFinder(place)(name, declaration);
  };
  const connect = createConnectionFetches({ fetch, declared, find, memory });
  const mcp = createMcpPort(connect);
  const called: EgressPorts[] = [];
  const createPorts = (declaredThere: DeclaredConnections) => {
    const ports = createEgressPorts(run, declaredThere, onUsage);
    called.push(ports);
    return ports;
  };
  return {
    http: createHttpPort(connect),
    model: async (request, call) => {
      const answer = await model(request, call);
      onUsage(usageOf(answer, models));
      return answer;
    },
    mcp,
    agent: createAgentPort({ getFetch: connect, gatewayUrl: requireEnv('GATEWAY_URL') }),
    discover: createDiscoverPort(place),
    flows: createFlowPort(run, createPorts),
    close: async () => {
      await Promise.all([mcp.close(), ...called.map(({ close }) => close())]);
    },
  };
}

const tenantModels = () => parseTenantModels(optionalEnv('MODELS'), optionalEnv('MODEL_DEFAULT'));

// A function whose models cannot be read does not start, and says why, in place of failing with the first run that calls one.
tenantModels();

let shared: ReturnType<typeof make> | undefined;

function make() {
  const fetch = createGuardedFetch(egressPolicy());
  const models = tenantModels();
  return { fetch, memory: newTokenMemory(), models, model: createModelPort({ ...models, fetch }) };
}

/** Where the service itself is private, as on a laptop, its agents still reach each other. */
function egressPolicy(): EgressPolicy {
  const { allowPrivate } = parseEgressPolicy(optionalEnv('EGRESS_ALLOW_PRIVATE'));
  const own = new URL(requireEnv('GATEWAY_URL'));
  return { allowPrivate: own.protocol === 'http:' ? [...allowPrivate, own.host] : allowPrivate };
}
