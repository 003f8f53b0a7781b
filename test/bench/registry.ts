// Measures authentication, envelope, promotions, searches and lists on the local host with its embedded
// engines. They say how costs grow and compare, not how long AWS takes.
import { requireEnv } from '#lib/env.ts';
import { tenantTemplate } from '#lib/infra/synth.ts';
import { startDemoModel } from '#lib/local/demo-model.ts';
import { startHost } from '#lib/local/host.ts';
import type { Bench } from './registry-caller.ts';
import { authenticationRows, envelopeRows } from './registry-crypto.ts';
import { listRows } from './registry-lists.ts';
import { promotionRows } from './registry-promotions.ts';
import { searchRows } from './registry-search.ts';
import type { Row } from './row.ts';

/** In workspaces of up to so many rows. */
export async function registryRows(rowsMax: number): Promise<Row[]> {
  return await withHost(async (bench, flowKey) => [
    ...(await authenticationRows()),
    ...(await envelopeRows(flowKey)),
    ...(await promotionRows(bench)),
    ...(await listRows(bench, chooseSizes(rowsMax))),
  ]);
}

/** Among up to so many live agents. */
export const searchSection = async (agentsMax: number): Promise<Row[]> =>
  await withHost(async () => await searchRows(chooseSizes(Math.min(agentsMax, 10_000))));

const chooseSizes = (max: number) => [100, 1_000, 10_000, 100_000].filter((size) => size <= max);

async function withHost(measure: (bench: Bench, flowKey: string) => Promise<Row[]>): Promise<Row[]> {
  const model = await startDemoModel();
  const environment = { LOG_LEVEL: 'SILENT', POWERTOOLS_METRICS_DISABLED: 'true' };
  const host = await startHost({ template: template(model.url), dataDir: undefined, port: 0, environment });
  try {
    const bench: Bench = { baseUrl: host.baseUrl };
    const flowKey = Object.values(host.keys).find(({ id }) => id === requireEnv('FLOW_KEY_ID'));
    if (!flowKey) throw new Error('The template has no flow key.');
    return await measure(bench, flowKey.arn);
  } finally {
    await Promise.all([host.close(), model.close()]);
  }
}

const template = (modelUrl: string) =>
  tenantTemplate({
    id: 'bench',
    models: { default: { provider: 'openai-compatible', model: 'demo-scripted', base_url: modelUrl } },
    modelDefault: 'default',
    // What is measured is the work, not how it is kept within limits.
    limits: { key_requests: 1_000_000, org_requests: 1_000_000 },
  });
