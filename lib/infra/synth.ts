// Synthesizes the template of one tenant without bundles, for the local host and the tests.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newApp, templatesOnly } from './app.ts';
import { flatTemplate } from './flat-template.ts';
import { tenantStackName } from './stack-names.ts';
import type { Template } from './template.ts';
import { parseTenant, type TenantInput } from './tenant.ts';
import { TenantStack } from './tenant-stack.ts';

export type { Template } from './template.ts';

export function tenantTemplate(tenant: TenantInput): Template {
  const folder = mkdtempSync(join(tmpdir(), 'agent-flow-synth-'));
  try {
    const bundle = () => stubBundle(folder);
    const app = newApp({ ...templatesOnly, outdir: join(folder, 'out') });
    const parsed = parseTenant(tenant, 'tenant');
    const stack = new TenantStack(app, tenantStackName(parsed.id), { tenant: parsed, bundle, local: true });
    return flatTemplate(app.synth().directory, stack.templateFile);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function stubBundle(folder: string): string {
  const stub = join(folder, 'stub');
  mkdirSync(stub, { recursive: true });
  writeFileSync(join(stub, 'index.mjs'), 'export const handler = undefined;\n');
  return stub;
}
