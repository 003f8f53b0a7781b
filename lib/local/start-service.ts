// Runs the whole service on this machine: the template of the local tenant on the local host, a scripted
// model and a sample shop.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseEgressPolicy } from '#lib/egress/egress-policy.ts';
import { buildConsole } from '#lib/infra/bundle-console.ts';
import { tenantTemplate } from '#lib/infra/synth.ts';
import { interruptRuns } from '#lib/run/shutdown.ts';
import { signedInAtOnce } from './at-once.ts';
import { demoModels, startDemoModel } from './demo-model.ts';
import { demoModelId } from './demo-script.ts';
import { withDocs } from './docs-pages.ts';
import { type Host, startHost } from './host.ts';
import { type IdentityProvider, startIdentityProvider } from './identity-provider.ts';
import type { Answer } from './listen.ts';
import { type LocalModels, readModelsVariable } from './local-models.ts';
import { startSampleOrders } from './sample-orders.ts';
import { startRelays } from './start-model-relays.ts';

export interface Service
  extends Pick<
    Host,
    'baseUrl' | 'idle' | 'flushDelayedMessages' | 'kms' | 'environment' | 'endpoints' | 'queues'
  > {
  /** The address of the sample shop. */
  readonly ordersUrl: string;
  /** The address of the local identity provider. */
  readonly issuer: string;
  readonly close: () => Promise<void>;
}

export interface ServiceOptions {
  /** The folder for data that survives a restart; undefined keeps it in memory. */
  readonly dataDir: string | undefined;
  /** 0 = any free port. */
  readonly port: number;
  /**
   * The addresses of the last start with this data, which builds contain; used again if their ports are free.
   */
  readonly former?:
    | { readonly baseUrl: string; readonly ordersUrl: string; readonly issuer?: string | undefined }
    | undefined;
  readonly log?: (line: string) => void;
  /** Whether it serves the documentation and the web console, which is built meanwhile. */
  readonly hasConsole?: boolean;
  /** Whether people who open the console are signed in as the owner without a click. */
  readonly signsInAtOnce?: boolean;
  /** Instead of the demo model. Default: those of the variable MODELS. */
  readonly models?: LocalModels | undefined;
}

export async function startService({
  former,
  hasConsole = false,
  signsInAtOnce = false,
  models = readModelsVariable(process.env),
  ...options
}: ServiceOptions): Promise<Service> {
  const files = await startConsole(hasConsole);
  const [model, orders, identities, relays] = await Promise.all([
    startDemoModel(),
    startSampleOrders(former?.ordersUrl),
    startIdentityProvider({ formerUrl: former?.issuer, signsInAtOnce }),
    startRelays(models, process.env),
  ]);
  const closeSamples = async () => {
    const parts = [model, orders, identities, relays];
    await Promise.all([...parts.map((part) => part.close()), files.remove()]);
  };
  try {
    const host = await startHost({
      ...options,
      formerPort: former && Number(new URL(former.baseUrl).port),
      template: localTemplate(model.url, orders.url, identities, relays.allowPrivate),
      environment: {
        ...overrides(),
        ...relays.environment,
        ...files.environment,
        SIGN_IN_CLIENT_SECRET: identities.clientSecret,
      },
      interrupt: interruptRuns,
      before: (api) => addPages(api, hasConsole, signsInAtOnce),
    });
    identities.open(host.baseUrl);
    await files.built;
    const close = async () => {
      await host.close();
      await closeSamples();
    };
    return { ...host, ordersUrl: orders.url, issuer: identities.url, close };
  } catch (error) {
    await closeSamples();
    throw error;
  }
}

function addPages(api: Answer, hasDocs: boolean, signsInAtOnce: boolean): Answer {
  const answer = signsInAtOnce ? signedInAtOnce(api) : api;
  return hasDocs ? withDocs(answer) : answer;
}

/** Builds it beside everything else, in a folder of this process. */
async function startConsole(isWanted: boolean) {
  if (!isWanted) return { environment: {}, built: undefined, remove: async () => {} };
  const folder = await mkdtemp(join(tmpdir(), 'agent-flow-console-'));
  const built = buildConsole(folder, { isCompressed: false });
  // Until it is awaited.
  built.catch(() => {});
  const remove = async () => {
    await built.catch(() => {});
    await rm(folder, { recursive: true, force: true });
  };
  return { environment: { CONSOLE_FILES: folder }, built, remove };
}

const localTemplate = (
  modelUrl: string,
  ordersUrl: string,
  identities: IdentityProvider,
  allowPrivate: readonly string[],
) =>
  tenantTemplate({
    id: 'local',
    models: demoModels(modelUrl),
    modelDefault: demoModelId,
    // One local process does the work of many on AWS.
    limits: {
      key_requests: 1_000_000,
      org_requests: 1_000_000,
      org_waiting_runs: 500,
      key_waiting_runs: 500,
      org_followed_runs: 500,
      key_followed_runs: 500,
    },
    browserOrigins: process.env.BROWSER_ORIGINS?.split(',') ?? [],
    ...(process.env.CATALOG_PUBLISHER && { catalog: { publisher: process.env.CATALOG_PUBLISHER } }),
    connectorSearchTools: process.env.CONNECTOR_SEARCH_TOOLS === 'true',
    ...(process.env.ROOT_AGENT && { rootAgent: process.env.ROOT_AGENT }),
    signIn: { issuer: identities.url, clientId: identities.clientId },
    // The developer's own hosts, and those of the samples.
    egressAllowPrivate: [
      ...[modelUrl, ordersUrl, identities.url].map((url) => new URL(url).host),
      ...allowPrivate,
      ...parseEgressPolicy(process.env.EGRESS_ALLOW_PRIVATE).allowPrivate,
    ],
  });

/** The developer's own log level and model keys. Metrics are not printed. */
function overrides(): Record<string, string> {
  const modelKeys = Object.entries(process.env).filter(([name]) => name.startsWith('MODEL_KEY_'));
  return {
    ...Object.fromEntries(modelKeys.map(([name, value]) => [name, value ?? ''])),
    LOG_LEVEL: process.env.LOG_LEVEL ?? 'ERROR',
    POWERTOOLS_METRICS_DISABLED: 'true',
  };
}
