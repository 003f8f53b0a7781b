// The tenants of this project, for programs that operators run: a mistake in a file ends them with the file, the field and
// what is wrong, one line for each, without a stack trace.
import { fileURLToPath } from 'node:url';
import { loadTenants, type Tenant } from '#lib/infra/tenant.ts';
import { orGiveUp } from './give-up.ts';

const ours = fileURLToPath(new URL('../../tenants', import.meta.url));

export const readTenants = (folder = ours): readonly Tenant[] => orGiveUp(() => loadTenants(folder));
