// `npm run bench:registry`: measures promotions, lists, searches, authentication and the envelope, on the local host with its embedded
// engines. They say how costs grow and compare, not how long AWS takes. `--markdown` as in `run.ts`; `--rows N` sets the largest list.
import { parseArgs } from 'node:util';
import { requireEnv } from '#lib/env.ts';
import { tenantTemplate } from '#lib/infra/synth.ts';
import { startDemoModel } from '#lib/local/demo-model.ts';
import { startHost } from '#lib/local/host.ts';
import { authenticationRows, envelopeRows } from './registry-crypto.ts';
import { type Bench, listRows, promotionRows } from './registry-rows.ts';
import { searchRows } from './registry-search.ts';
import type { Row } from './row.ts';
import { markdownTable, textTable } from './table.ts';

const { values } = parseArgs({
  options: { markdown: { type: 'boolean' }, rows: { type: 'string', default: '100000' } },
});
const sizes = [100, 1_000, 10_000, 100_000].filter((size) => size <= Number(values.rows));

const model = await startDemoModel();
const template = tenantTemplate({
  id: 'bench',
  models: { default: { provider: 'openai-compatible', model: 'demo-scripted', base_url: model.url } },
  modelDefault: 'default',
  // What is measured is the work, not how it is kept within limits.
  limits: { key_requests: 1_000_000, org_requests: 1_000_000 },
});
const environment = { LOG_LEVEL: 'SILENT', POWERTOOLS_METRICS_DISABLED: 'true' };
const host = await startHost({ template, dataDir: undefined, port: 0, environment });
try {
  const bench: Bench = { baseUrl: host.baseUrl };
  const sections: readonly (readonly [string, () => Promise<Row[]>])[] = [
    ['authentication', () => authenticationRows()],
    ['envelope', () => envelopeRows(flowKeyArn())],
    ['promotions', () => promotionRows(bench)],
    ['searches', () => searchRows(sizes.filter((size) => size <= 10_000))],
    ['lists', () => listRows(bench, sizes)],
  ];
  const rows: Row[] = [];
  for (const [name, measure] of sections) {
    console.error(`Measuring ${name}…`);
    rows.push(...(await measure()));
  }
  console.log(values.markdown ? markdownTable(rows) : textTable(rows));
} finally {
  await Promise.all([host.close(), model.close()]);
}

function flowKeyArn(): string {
  const flowKey = Object.values(host.keys).find(({ id }) => id === requireEnv('FLOW_KEY_ID'));
  if (!flowKey) throw new Error('The template has no flow key.');
  return flowKey.arn;
}
