// Compares the synthesized templates with the quotas of AWS. A deployment that exceeds one fails half-way and is rolled
// back, so the synth refuses it, and warns from 80 % on.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CloudAssembly } from 'aws-cdk-lib/cx-api';
import { nestedStack } from './flat-template.ts';
import type { Count, Part } from './quota-counts.ts';
import { type Quota, quotas, usableShare } from './quotas.ts';
import { template } from './template.ts';

/** The templates of one stack, and where it is deployed. */
export interface Deployment {
  readonly name: string;
  readonly account: string;
  readonly region: string;
  readonly parts: readonly Part[];
}

export interface Use extends Count {
  readonly quota: Quota;
}

/** What may be used of a quota before the synth warns. */
export const usable = ({ limit, usableShare: own = usableShare }: Quota): number => Math.floor(limit * own);

/** Prints what comes near a quota; throws what exceeds one. */
export function checkQuotas(deployments: readonly Deployment[], warn: (text: string) => void): void {
  const uses = countUses(deployments);
  const refused = uses.filter(({ quota, used }) => used > quota.limit);
  if (refused.length > 0) throw new Error(refused.map(describe).join('\n'));
  for (const use of uses.filter(({ quota, used }) => used > usable(quota))) warn(describe(use));
}

function describe({ quota, at, used }: Use): string {
  const { service, name, limit, isAdjustable } = quota;
  const advice = isAdjustable ? 'AWS raises it on request (Service Quotas).' : 'AWS does not raise it.';
  return `${at}: ${used} of ${limit} ${name} (${service}); ours are ${usable(quota)}. ${advice} See docs/aws-limits.md.`;
}

export function readDeployments(assembly: CloudAssembly): readonly Deployment[] {
  return assembly.stacksRecursively.map(({ stackName, environment, templateFile }) => ({
    name: stackName,
    account: environment.account,
    region: environment.region,
    parts: readParts(assembly.directory, templateFile),
  }));
}

function readParts(folder: string, file: string): Part[] {
  const text = readFileSync(join(folder, file), 'utf8');
  const parsed = template.parse(JSON.parse(text));
  const nested = Object.values(parsed.Resources).filter(({ Type }) => Type === 'AWS::CloudFormation::Stack');
  const files = nested.map((resource) => nestedStack.parse(resource).Metadata['aws:asset:path']);
  return [
    { file, bytes: Buffer.byteLength(text), template: parsed },
    ...files.flatMap((each) => readParts(folder, each)),
  ];
}

export function countUses(deployments: readonly Deployment[]): readonly Use[] {
  return quotas.flatMap((quota) => countsOf(quota, deployments).map((found) => ({ quota, ...found })));
}

function countsOf(quota: Quota, deployments: readonly Deployment[]): readonly Count[] {
  const inParts = ({ parts }: Deployment) => parts.flatMap((part) => quota.counts(part));
  if (quota.scope === 'each') return deployments.flatMap(inParts);
  const groups = Map.groupBy(deployments, (each) => placeOf(quota, each));
  return [...groups].map(([at, members]) => ({
    at,
    used: members.flatMap(inParts).reduce((sum, { used }) => sum + used, 0),
  }));
}

function placeOf({ scope }: Quota, { name, account, region }: Deployment): string {
  if (scope === 'tenant') return name;
  return scope === 'account' ? `account ${account}` : `account ${account} in ${region}`;
}
