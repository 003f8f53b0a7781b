// The whole service on this machine: the local tenant's template on the local host, with a scripted model and
// a sample shop beside it.
import { parseEgressPolicy } from '#lib/egress/egress-policy.ts';
import { tenantTemplate } from '#lib/infra/synth.ts';
import { parseTenantModels } from '#lib/model/catalog.ts';
import { demoModels, startDemoModel } from './demo-model.ts';
import { demoModelId } from './demo-script.ts';
import { type Host, startHost } from './host.ts';
import { startSampleOrders } from './sample-orders.ts';

export interface Service
  extends Pick<
    Host,
    'baseUrl' | 'idle' | 'flushDelayedMessages' | 'kms' | 'environment' | 'endpoints' | 'queues'
  > {
  /** Of the sample shop. */
  readonly ordersUrl: string;
  readonly close: () => Promise<void>;
}

export interface ServiceOptions {
  /** Where data stays across restarts; undefined keeps it in memory. */
  readonly dataDir: string | undefined;
  /** 0 = any free port. */
  readonly port: number;
  /** Of the last start with this data: taken again where it can be, because builds name it. */
  readonly former?: { readonly baseUrl: string; readonly ordersUrl: string } | undefined;
  readonly log?: (line: string) => void;
}

export async function startService({ former, ...options }: ServiceOptions): Promise<Service> {
  const ownModels = readOwnModels();
  const [model, orders] = await Promise.all([startDemoModel(), startSampleOrders(former?.ordersUrl)]);
  const closeSamples = async () => {
    await Promise.all([model.close(), orders.close()]);
  };
  try {
    const host = await startHost({
      ...options,
      formerPort: former && Number(new URL(former.baseUrl).port),
      template: localTemplate(model.url, orders.url),
      environment: { ...overrides(), ...ownModels },
    });
    const close = async () => {
      await host.close();
      await closeSamples();
    };
    return { ...host, ordersUrl: orders.url, close };
  } catch (error) {
    await closeSamples();
    throw error;
  }
}

const localTemplate = (modelUrl: string, ordersUrl: string) =>
  tenantTemplate({
    id: 'local',
    models: demoModels(modelUrl),
    modelDefault: demoModelId,
    // One process on a laptop does the work of many on AWS.
    limits: {
      key_requests: 1_000_000,
      org_requests: 1_000_000,
      org_waiting_runs: 500,
      key_waiting_runs: 500,
      org_followed_runs: 500,
      key_followed_runs: 500,
    },
    // A developer's own hosts beside those of the samples.
    egressAllowPrivate: [
      ...[modelUrl, ordersUrl].map((url) => new URL(url).host),
      ...parseEgressPolicy(process.env.EGRESS_ALLOW_PRIVATE).allowPrivate,
    ],
  });

/**
 * A developer's own models, in place of the demo's. Read before anything is started, so that a mistake in
 * them is reported at once.
 */
function readOwnModels(): Record<string, string> {
  const { MODELS, MODEL_DEFAULT } = process.env;
  if (!MODELS && MODEL_DEFAULT)
    throw new Error('MODEL_DEFAULT must be one of the names in MODELS, which is not set.');
  if (!MODELS) return {};
  const { defaultModel = '' } = parseTenantModels(MODELS, MODEL_DEFAULT);
  return { MODELS, MODEL_DEFAULT: defaultModel };
}

/** A developer's own log level and keys of models, and no metric lines between the others. */
function overrides(): Record<string, string> {
  const modelKeys = Object.entries(process.env).filter(([name]) => name.startsWith('MODEL_KEY_'));
  return {
    ...Object.fromEntries(modelKeys.map(([name, value]) => [name, value ?? ''])),
    LOG_LEVEL: process.env.LOG_LEVEL ?? 'ERROR',
    POWERTOOLS_METRICS_DISABLED: 'true',
  };
}
