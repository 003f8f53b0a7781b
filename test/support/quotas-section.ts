// The section of docs/aws-limits.md about what a tenant takes of the quotas of AWS: the table of `lib/infra/quotas.ts`
// with the counts of a tenant whose file has every setting.
import { countUses, type Deployment, type Use, usable } from '#lib/infra/quota-check.ts';
import { type Quota, quotas } from '#lib/infra/quotas.ts';
import { deployments, everySetting } from '../infra/demo-app.ts';

const number = new Intl.NumberFormat('en');

export function quotasSection(): string {
  const uses = countUses(fullDeployment());
  return [
    '## What a tenant takes',
    '',
    'What grows with routes, with settings of the tenant file and with the number of tenants, counted in the templates of a tenant whose file',
    'has every setting but `gradualUpdates`, which adds five roles and 25 resources to nested stacks, and `storageStack`, which adds a stack. `npx cdk synth` counts the same for all tenants of `tenants/`: it warns beyond *ours*, and refuses what is beyond the',
    'limit. The table is `lib/infra/quotas.ts`. *Raised* tells whether AWS raises a quota on request (Service Quotas); then only the',
    'default is known here. Values that are known at the deployment only are counted as long ones.',
    '',
    '| service | what | limit | raised | ours | a full tenant | tenants within ours |',
    '| ------- | ---- | ----: | ------ | ---: | ------------: | ------------------: |',
    ...quotas.map((quota) => line(quota, uses)),
    '',
    `An account takes ${tenantsOfAnAccount(uses)} tenants by default, if few of them reserve concurrency or have a sampling rule: ${firstReached(uses)} are used up first. Other software in the account takes its part.`,
    '',
  ].join('\n');
}

export const fullDeployment = (): readonly Deployment[] =>
  deployments(everySetting()).filter(({ name }) => name !== 'AgentFlow-Shared-eu-central-1');

const isShared = ({ scope }: Quota): boolean => scope.startsWith('account');
const largest = (quota: Quota, uses: readonly Use[]): number =>
  Math.max(0, ...uses.filter((use) => use.quota === quota).map(({ used }) => used));

function line(quota: Quota, uses: readonly Use[]): string {
  const { service, name, limit, isAdjustable } = quota;
  const used = largest(quota, uses);
  const tenants = isShared(quota) && used > 0 ? number.format(Math.floor(usable(quota) / used)) : '';
  const cells = [service, name, number.format(limit), isAdjustable ? 'yes' : 'no'];
  return `| ${[...cells, number.format(usable(quota)), number.format(used), tenants].join(' | ')} |`;
}

/** How many fit if nothing is kept in reserve, and what limits them. */
function scarcest(uses: readonly Use[]): readonly [tenants: number, quota: Quota] {
  const fitting = quotas
    .filter((quota) => isShared(quota) && !rareSettings.includes(quota.name))
    .flatMap((quota) => {
      const used = largest(quota, uses);
      return used > 0 ? [[Math.floor(quota.limit / used), quota] as const] : [];
    });
  const [first] = fitting.toSorted(([a], [b]) => a - b);
  if (!first) throw new Error('A tenant takes nothing of the quotas of an account.');
  return first;
}

/** Settings that few tenants have. */
const rareSettings = ['reserved concurrency, of which 100 stay unreserved', 'sampling rules'];
export const tenantsOfAnAccount = (uses: readonly Use[]): number => scarcest(uses)[0];
const firstReached = (uses: readonly Use[]): string => scarcest(uses)[1].name;
