// How near the templates of a tenant are to the quotas of AWS. CloudFormation refuses a stack that is too large only at
// the deployment, when the routes that made it so are long merged.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { checkQuotas, countUses, type Deployment, usable } from '#lib/infra/quota-check.ts';
import { quotas } from '#lib/infra/quotas.ts';
import { fullDeployment, quotasSection, tenantsOfAnAccount } from '#test/support/quotas-section.ts';

const full = fullDeployment();
const uses = countUses(full);

describe.each(quotas)('$service: $name', (quota) => {
  const found = uses.filter((use) => use.quota === quota);

  it('has a reserve with every setting of a tenant file', () => {
    for (const { at, used } of found) {
      const advice = `${at}: ${used} of ${quota.limit}; docs/decisions/0022-nested-stacks.md says what to do next`;
      expect(used, advice).toBeLessThanOrEqual(usable(quota));
    }
  });

  it('is counted, or known to be unused', () => {
    const isUsed = found.some(({ used }) => used > 0);
    expect(isUsed).toBe(quota.name !== 'layers of a function');
  });
});

describe('a synth', () => {
  const [one] = full;
  const copies = (number: number): readonly Deployment[] =>
    Array.from({ length: number }, (_, index) => ({ ...Object(one), name: `AgentFlow-${index}` }));
  const warningsOf = (deployments: readonly Deployment[]) => {
    const warnings: string[] = [];
    checkQuotas(deployments, (text) => warnings.push(text));
    return warnings;
  };
  const tenants = tenantsOfAnAccount(uses);

  it('says nothing while there is a reserve', () => {
    expect(warningsOf(full)).toEqual([]);
  });

  it('warns of each quota of which little is left, and says whether AWS raises it', () => {
    const warnings = warningsOf(copies(tenants).map(plain));
    expect(warnings).toContainEqual(
      expect.stringMatching(
        /^account \S+: \d+ of 1000 roles \(IAM\); ours are 800\. AWS raises it on request/,
      ),
    );
  });

  it('refuses what is beyond a quota', () => {
    expect(() => warningsOf(copies(tenants + 1).map(plain))).toThrow(
      /^account \S+: \d+ of 1000 roles \(IAM\)/,
    );
  });

  it('adds up what the tenants of one account take, and not those of others', () => {
    const apart = copies(tenants + 1).map((each, index) => ({ ...each, account: `11112222333${index % 2}` }));
    expect(warningsOf(apart.map(plain))).toEqual([]);
  });

  it.each([
    ['Fn::GetAtt', { 'Fn::GetAtt': ['ControlTable', 'Arn'] }, 120],
    ['a join of an account', { 'Fn::Join': ['', ['a:', { Ref: 'AWS::AccountId' }]] }, 14],
    ['a text', 'abc', 3],
  ])('counts a value that is %s', (_, value, length) => {
    const Properties = { Environment: { Variables: { NAME: value } } };
    const template = { Resources: { Made: { Type: 'AWS::Lambda::Function', Properties } } };
    const parts = [{ file: 'a.json', bytes: 10, template }];
    const found = countUses([{ name: 'a', account: '1', region: 'r', parts }]);
    const variables = found.find(({ quota }) => quota.name === 'bytes of the variables of a function');
    expect(variables).toMatchObject({ at: 'a.json: Made', used: 'NAME'.length + length });
  });
});

/** Without settings that few tenants have, whose quotas would be used up first. */
function plain(deployment: Deployment): Deployment {
  const parts = deployment.parts.map((part) => {
    const kept = Object.entries(part.template.Resources).filter(
      ([, { Type }]) => Type !== 'AWS::XRay::SamplingRule',
    );
    const Resources = kept.map(([id, resource]) => {
      const { ReservedConcurrentExecutions: _, ...Properties } = resource.Properties ?? {};
      return [id, { ...resource, Properties }] as const;
    });
    return { ...part, template: { ...part.template, Resources: Object.fromEntries(Resources) } };
  });
  return { ...deployment, parts };
}

it('the stack of a tenant has no function of its own: all are in nested stacks', () => {
  const [outer] = full[0]?.parts ?? [];
  const types = Object.values(outer?.template.Resources ?? {}).map(({ Type }) => Type);
  expect(types).not.toContain('AWS::Lambda::Function');
});

it('docs/aws-limits.md has the table of quotas: `npx vitest run --project api aws-limits -u` writes it', () => {
  const page = readFileSync(new URL('../../docs/aws-limits.md', import.meta.url), 'utf8');
  expect(page.endsWith(quotasSection())).toBe(true);
});

it('docs/operations.md states how many IAM roles of an account a tenant needs', () => {
  const operations = readFileSync(new URL('../../docs/operations.md', import.meta.url), 'utf8');
  const roles = uses.find(({ quota }) => quota.name === 'roles')?.used;
  expect(operations).toContain(`takes ${roles} IAM roles`);
});
