// The CDK app that the CDK CLI starts (cdk.json): all tenants of `tenants/`, with the bundles of `npm run
// build`.
import { fileURLToPath } from 'node:url';
import { addChecks } from '#lib/infra/acknowledgements.ts';
import { addStacks, newApp } from '#lib/infra/app.ts';
import { bundleFolder } from '#lib/infra/bundle-folder.ts';
import { loadTenants } from '#lib/infra/tenant.ts';

const app = newApp();
const tenants = loadTenants(fileURLToPath(new URL('../tenants', import.meta.url)));
addStacks(app, tenants, bundleFolder);
addChecks(app, tenants);
app.synth();
