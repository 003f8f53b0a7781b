// The CDK app: all tenants of `tenants/`. It builds the bundles that are not built yet, so that no command of the CDK
// deploys code which is older than its sources.
import { giveUp, orGiveUp } from '#lib/cli/give-up.ts';
import { readTenants } from '#lib/cli/read-tenants.ts';
import { addChecks } from '#lib/infra/acknowledgements.ts';
import { addStacks, newApp } from '#lib/infra/app.ts';
import { ensureBuilt } from '#lib/infra/build-process.ts';
import { bundleFolder } from '#lib/infra/bundle-folder.ts';
import { checkQuotas, readDeployments } from '#lib/infra/quota-check.ts';
import { warnOfRegion } from '#lib/infra/region-check.ts';

const warn = (text: string): void => void process.stderr.write(`Warning: ${text}\n`);
const tenants = readTenants();
for (const tenant of tenants) warnOfRegion(tenant, (text) => warn(`tenants/${tenant.id}.json: ${text}`));
await ensureBuilt().catch((error) => giveUp(error, 'Nothing was synthesized'));
const app = newApp();
addStacks(app, tenants, bundleFolder);
addChecks(app, tenants);
const deployments = readDeployments(app.synth());
orGiveUp(() => checkQuotas(deployments, warn));
