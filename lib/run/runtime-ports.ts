// The ports of a run: the network, models, MCP, other agents, the clock, and the evaluation of expressions.
// What all runs share is created from the environment of the function with the first use; the connections and
// sessions of a run are created for it.
import { createAgentPort, createCancelTaskPort } from '#lib/a2a-client/port.ts';
import { addresses } from '#lib/addresses.ts';
import { createConnectionFetches, type GetConnectionFetch } from '#lib/connection/connection-fetch.ts';
import type { FindConnection } from '#lib/connection/find.ts';
import { newTokenMemory } from '#lib/connection/token-memory.ts';
import { createDiscoverPort } from '#lib/discovery/discover-port.ts';
import { type EgressPolicy, parseEgressPolicy } from '#lib/egress/egress-policy.ts';
import type { GuardedFetch } from '#lib/egress/guarded-fetch.ts';
import { optionalEnv, requireEnv } from '#lib/env.ts';
import type { FlowPort, Ports } from '#lib/flow/engine/ports.ts';
import type { DeclaredConnections } from '#lib/flow/format/connection.ts';
import { NodeError } from '#lib/flow/format/node-error.ts';
import type {
  AgentPort,
  CancelTaskPort,
  CreateNotificationTarget,
  DiscoverPort,
} from '#lib/flow/ports/agent.ts';
import type { RunFiles } from '#lib/flow/ports/file.ts';
import type { McpPort } from '#lib/flow/ports/mcp.ts';
import type { ModelChoice, ModelPort } from '#lib/flow/ports/model.ts';
import type { NodeCall } from '#lib/flow/ports/node-call.ts';
import type { StorePort } from '#lib/flow/ports/store.ts';
import { createMcpPort } from '#lib/mcp/port.ts';
import { measure } from '#lib/metrics.ts';
import { parseTenantModels, selectModel, type TenantModels } from '#lib/model/catalog.ts';
import { createModelPort } from '#lib/model/port.ts';
import { type PricedAnswer, toUsage, type Usage } from '#lib/model/usage.ts';
import { requireModelBudget } from '#lib/usage/check-budget.ts';
import { findCalledFlow } from './called-flow.ts';
import { codePort } from './code-port.ts';
import { clock } from './compute/clock.ts';
import { computePort } from './compute/compute-port.ts';
import { createStorePort } from './store-port.ts';
import type { StoredRun } from './stored-run.ts';

interface EgressPorts extends Pick<Ports, 'http' | 'model'> {
  readonly mcp: McpPort;
  readonly agent: AgentPort;
  readonly cancelTask: CancelTaskPort;
  readonly discover: DiscoverPort;
  readonly flows: FlowPort;
  readonly store: StorePort;
  readonly files: RunFiles;
  /** Call it at the end of the run. */
  readonly close: () => Promise<void>;
}

export interface RuntimePorts extends EgressPorts, Pick<Ports, 'clock' | 'compute' | 'code'> {}

/**
 * The connections are those of the flow's workspace and, where they belong to a user, of the caller who
 * started the run.
 */
export function createRuntimePorts(
  run: StoredRun,
  declared: DeclaredConnections,
  models: ModelObserver,
): RuntimePorts {
  return {
    ...createEgressPorts(run, { declared, flowid: run.flowid }, models),
    clock,
    compute: computePort(run.orgid),
    code: codePort,
  };
}

/** Who observes the calls of models, also those of called flows. */
export interface ModelObserver {
  /** Receives what each answer has used. */
  readonly onUsage: (usage: Usage) => void;
  readonly watch?: ((model: ModelPort) => ModelPort) | undefined;
}

/** The flow whose nodes use the ports: that of the run, or one that it calls. */
interface FlowScope {
  readonly declared: DeclaredConnections;
  readonly flowid: string;
}

function createEgressPorts(
  run: StoredRun,
  { declared, flowid }: FlowScope,
  observer: ModelObserver,
): EgressPorts {
  shared ??= createShared();
  const { fetch, memory, model, models } = shared;
  const owner = { orgid: run.orgid, workspaceid: run.workspaceid, user: run.caller_id };
  const find: FindConnection = async (name, declaration) => {
    const { createConnectionFinder } = await import('#lib/connection/find.ts');
    return await createConnectionFinder(owner)(name, declaration);
  };
  const connect = createConnectionFetches({ fetch, declared, find, memory });
  const mcp = createMcpPort(connect);
  const agents = { getFetch: connect, addresses: addresses() };
  const files = createFiles(run);
  const agent = createAgentPort({
    ...agents,
    ...(run.mode === 'queued' && { createTarget: createTargets(run) }),
  });
  const portsOfCalled: EgressPorts[] = [];
  const { watch = (port: ModelPort) => port } = observer;
  const onAnswer = (answer: PricedAnswer, { key, attempt }: NodeCall, at: number) => {
    const times = { at, ms: Date.now() - at, ...(attempt > 1 && { attempt }) };
    reportUsage(run, { ...toUsage(answer, models), execution: key, ...times }, observer);
  };
  return {
    ...withTrace(run, { http: createHttp(connect, files), mcp, agent }),
    model: watch(async (request, call) => {
      await requireModelBudget(run, Date.now());
      const at = Date.now();
      try {
        const answer = await model(request, call, files.read);
        onAnswer(answer, call, at);
        return answer;
      } catch (error) {
        // An answer that cannot be used has a cost too.
        if (error instanceof NodeError && error.tokens)
          onAnswer({ model: modelName(request.model, models), tokens: error.tokens }, call, at);
        throw error;
      }
    }),
    cancelTask: createCancelTaskPort(agents),
    discover: createDiscoverPort(owner),
    store: createStorePort(run, flowid),
    files,
    flows: async (request) => {
      const called = await findCalledFlow(run, request);
      const scope = { declared: called.flow.connections, flowid: called.flowid };
      const ports = createEgressPorts(run, scope, observer);
      portsOfCalled.push(ports);
      return { ...called, ports };
    },
    close: async () => {
      await Promise.all([mcp.close(), ...portsOfCalled.map(({ close }) => close())]);
    },
  };
}

/** Loaded with the first request. */
const createHttp =
  (connect: GetConnectionFetch, files: RunFiles): EgressPorts['http'] =>
  async (request, call) => {
    const { createHttpPort } = await import('#lib/connection/http-port.ts');
    return await createHttpPort(connect, files)(request, call);
  };

type TracedPorts = Pick<EgressPorts, 'http' | 'mcp' | 'agent'>;

/** Requests carry the trace of the run, with the attempt that sends them. */
function withTrace(run: StoredRun, { http, mcp, agent }: TracedPorts): TracedPorts {
  const traced = (call: NodeCall): NodeCall => ({
    ...call,
    trace: async () => (await import('#lib/trace-context.ts')).outgoingTrace(run, call),
  });
  return {
    http: (request, call) => http(request, traced(call)),
    mcp: {
      list: (server, call) => mcp.list(server, traced(call)),
      call: (server, tool, args, call) => mcp.call(server, tool, args, traced(call)),
    },
    agent: (request, call) => agent(request, traced(call)),
  };
}

/** The answer of a model that has no price is in no metric. */
function reportUsage({ run_id, flowid }: StoredRun, usage: Usage, { onUsage }: ModelObserver): void {
  onUsage(usage);
  const { model, cost } = usage;
  if (cost !== undefined) measure('ModelCost', cost, { beside: { message: 'model', run_id, flowid, model } });
}

/** Loaded for the first file. */
function createFiles(run: StoredRun): RunFiles {
  const load = async () => (await import('./run-files.ts')).createRunFiles(run);
  return {
    find: async (id, signal) => await (await load()).find(id, signal),
    read: async (id, signal) => await (await load()).read(id, signal),
    save: async (file, signal) => await (await load()).save(file, signal),
  };
}

/** Loaded for the first task that takes long. */
function createTargets({ run_id }: StoredRun): CreateNotificationTarget {
  return async (task) => {
    const { createNotificationTarget } = await import('./task-notification.ts');
    return await createNotificationTarget(run_id, task);
  };
}

function modelName(choice: ModelChoice, models: TenantModels): string {
  const { provider = '', model = '' } = selectModel(choice, models) ?? {};
  return `${provider}/${model}`;
}

const tenantModels = () => parseTenantModels(optionalEnv('MODELS'), optionalEnv('MODEL_DEFAULT'));

// A function whose models cannot be parsed does not start, and reports why, instead of failing with the first
// run that calls one.
tenantModels();

let shared: ReturnType<typeof createShared> | undefined;

function createShared() {
  const fetch = guardedFetch(egressPolicy());
  const models = tenantModels();
  return { fetch, memory: newTokenMemory(), models, model: createModelPort({ ...models, fetch }) };
}

/** Loaded with the first request of a process: flows without requests start sooner. */
function guardedFetch(policy: EgressPolicy): GuardedFetch {
  let fetch: GuardedFetch | undefined;
  return async (input, init) => {
    fetch ??= (await import('#lib/egress/guarded-fetch.ts')).createGuardedFetch(policy);
    return await fetch(input, init);
  };
}

/** Where the service itself is private, as on a laptop, its agents still reach each other. */
function egressPolicy(): EgressPolicy {
  const { allowPrivate } = parseEgressPolicy(optionalEnv('EGRESS_ALLOW_PRIVATE'));
  const own = new URL(requireEnv('GATEWAY_URL'));
  return { allowPrivate: own.protocol === 'http:' ? [...allowPrivate, own.host] : allowPrivate };
}
