// The CDK app: all tenants of `tenants/`. It builds the bundles that are not built yet, so that no command of the CDK
// deploys code which is older than its sources.
import { fileURLToPath } from 'node:url';
import { addChecks } from '#lib/infra/acknowledgements.ts';
import { addStacks, newApp } from '#lib/infra/app.ts';
import { ensureBuilt } from '#lib/infra/bundle.ts';
import { bundleFolder } from '#lib/infra/bundle-folder.ts';
import { showBuildProgress } from '#lib/infra/bundle-progress.ts';
import { checkQuotas, readDeployments } from '#lib/infra/quota-check.ts';
import { loadTenants } from '#lib/infra/tenant.ts';

const tenants = loadTenants(fileURLToPath(new URL('../tenants', import.meta.url)));
await ensureBuilt(showBuildProgress());
const app = newApp();
addStacks(app, tenants, bundleFolder);
addChecks(app, tenants);
checkQuotas(readDeployments(app.synth()), (text) => process.stderr.write(`Warning: ${text}\n`));
