// The tenants of this project, for programs that operators run: a mistake in a file ends them with the file, the field and
// what is wrong, one line for each, without a stack trace.
import { fileURLToPath } from 'node:url';
import { loadTenants, type Tenant } from '#lib/infra/tenant.ts';

const ours = fileURLToPath(new URL('../../tenants', import.meta.url));

export function readTenants(folder = ours): readonly Tenant[] {
  try {
    return loadTenants(folder);
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exit(1);
  }
}
