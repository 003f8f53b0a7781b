// The runtime ports of a run in the terminal: those of the service, with the models that the environment
// configures or else the scripted model of the demo.
import { createCodeThread } from '#lib/code/thread.ts';
import { createConnectionFetches } from '#lib/connection/connection-fetch.ts';
import { createHttpPort } from '#lib/connection/http-port.ts';
import { newTokenMemory } from '#lib/connection/token-memory.ts';
import { EgressError } from '#lib/egress/egress-error.ts';
import { parseEgressPolicy } from '#lib/egress/egress-policy.ts';
import { createGuardedFetch, type GuardedFetch } from '#lib/egress/guarded-fetch.ts';
import type { Ports } from '#lib/flow/engine/ports.ts';
import { memoryStore } from '#lib/flow/testing/memory-store.ts';
import { demoModels, startDemoModel } from '#lib/local/demo-model.ts';
import { demoModelId } from '#lib/local/demo-script.ts';
import { createMcpPort } from '#lib/mcp/port.ts';
import { parseTenantModels, type TenantModels } from '#lib/model/catalog.ts';
import { createModelPort } from '#lib/model/port.ts';
import type { LocalConnections } from './local-connections.ts';

export interface RuntimePorts {
  readonly ports: Pick<Ports, 'http' | 'model' | 'mcp' | 'store' | 'code'>;
  /** Whether the scripted demo model replaces real models. */
  readonly isScripted: boolean;
  readonly close: () => Promise<void>;
}

/** `allowPrivate` lists local hosts (`host:port`) that the flow may reach. */
export async function openRuntimePorts(
  allowPrivate: readonly string[],
  connections: LocalConnections,
): Promise<RuntimePorts> {
  const { MODELS, MODEL_DEFAULT, EGRESS_ALLOW_PRIVATE = '' } = process.env;
  const demo = MODELS === undefined ? await startDemoModel() : undefined;
  const models: TenantModels = demo
    ? { models: demoModels(demo.url), defaultModel: demoModelId }
    : parseTenantModels(MODELS, MODEL_DEFAULT);
  const own = demo ? [new URL(demo.url).host] : [];
  const policy = parseEgressPolicy([EGRESS_ALLOW_PRIVATE, ...allowPrivate, ...own].join());
  const fetch = namingOption(createGuardedFetch(policy));
  const connect = createConnectionFetches({ ...connections, fetch, memory: newTokenMemory() });
  const mcp = createMcpPort(connect);
  return {
    ports: {
      http: createHttpPort(connect),
      model: createModelPort({ ...models, fetch }),
      mcp,
      store: memoryStore(true),
      code: createCodeThread(),
    },
    isScripted: demo !== undefined,
    close: async () => {
      await mcp.close();
      await demo?.close();
    },
  };
}
/** Says in what it refuses how a local host is allowed. */
const namingOption =
  (fetch: GuardedFetch): GuardedFetch =>
  async (input, init) => {
    try {
      return await fetch(input, init);
    } catch (error) {
      if (!(error instanceof EgressError) || !ofLocalHosts.has(error.code)) throw error;
      const message = `${error.message} The option --allow-private <host:port> allows a local host.`;
      throw new EgressError(error.code, message, { cause: error });
    }
  };

const ofLocalHosts: ReadonlySet<string> = new Set(['egress.scheme', 'egress.private_address']);
