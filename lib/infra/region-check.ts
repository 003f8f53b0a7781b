// Warns of regions in a tenant file that AWS may not have, or that may not have the models: a deployment or the calls of
// a model would fail.
import { RegionInfo } from 'aws-cdk-lib/region-info';
import { listModelWarnings } from './inference-profiles.ts';
import type { Tenant } from './tenant.ts';

export function warnOfRegion(
  { region, models }: Pick<Tenant, 'region' | 'models'>,
  warn: (text: string) => void,
): void {
  // No error, since AWS has regions that are newer than the CDK.
  if (region !== undefined && !RegionInfo.regions.some(({ name }) => name === region))
    warn(`region: the CDK does not know "${region}". The deployment fails if AWS does not have it either.`);
  for (const text of listModelWarnings({ region, models })) warn(text);
}
