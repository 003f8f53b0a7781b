// How near the templates of a tenant are to what CloudFormation takes. It refuses a stack that is too large
// only at the deployment, when the routes that made it so are long merged.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { template } from '#lib/infra/template.ts';
import { eventSources } from '#lib/routes/event-sources.ts';
import { deployedFiles, fullTenant } from './demo-app.ts';

const quotas = { resources: 500, parameters: 200, outputs: 200, bytes: 1_000_000 };
/** The rest is kept for the change that makes room again. */
const usableShare = 0.88;

const files = deployedFiles(fullTenant()).map(
  ([file, text]) => [file, template.parse(JSON.parse(text)), Buffer.byteLength(text)] as const,
);
const count = (members: unknown): number => Object.keys(Object(members)).length;

describe.each(files)('%s', (file, { Resources, Parameters, Outputs }, bytes) => {
  const sizes = {
    resources: count(Resources),
    parameters: count(Parameters),
    outputs: count(Outputs),
    bytes,
  };

  it.each(Object.entries(sizes))('leaves a reserve in its %s (%i)', (what, size) => {
    const quota = Reflect.get(quotas, what);
    const advice = `${file}: ${size} ${what} of ${quota}; docs/decisions/0022-nested-stacks.md says what to do next`;
    expect(size, advice).toBeLessThanOrEqual(usableShare * quota);
  });
});

it('the stack of a tenant has all functions in nested stacks, but for the one that records the audit trail', () => {
  const [[, outer] = []] = files;
  const own = Object.values(outer?.Resources ?? {}).flatMap(
    ({ Metadata }) => Metadata?.['agentflow:entry'] ?? [],
  );
  expect(own).toEqual([`functions/${eventSources.recordAudit.entry}.ts`]);
});

it('docs/operations.md states how many IAM roles of an account a tenant needs', () => {
  const operations = readFileSync(new URL('../../docs/operations.md', import.meta.url), 'utf8');
  const types = files.flatMap(([, { Resources }]) => Object.values(Resources).map(({ Type }) => Type));
  const roles = types.filter((type) => type === 'AWS::IAM::Role').length;
  expect(operations).toContain(`takes ${roles} IAM roles`);
});
