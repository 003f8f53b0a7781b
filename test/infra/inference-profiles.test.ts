import { RegionInfo } from 'aws-cdk-lib/region-info';
import { describe, expect, it, test } from 'vitest';
import { listModelWarnings, proposeId, refuseModels } from '#lib/infra/inference-profiles.ts';
import { warnOfRegion } from '#lib/infra/region-check.ts';

const lite = 'amazon.nova-lite-v1:0';
const modelIn = (region: string | undefined, model: string, ownRegion?: string) => ({
  region,
  models: { main: { provider: 'bedrock' as const, model, ...(ownRegion && { region: ownRegion }) } },
});

describe('the models of a tenant', () => {
  it.each([
    ['us-east-1', `eu.${lite}`, undefined, 'models.main.model: inference profiles that begin with "eu." '],
    ['eu-west-1', `apac.${lite}`, undefined, '`aws bedrock list-inference-profiles --region eu-west-1`'],
    ['eu-west-1', `eu.${lite}`, 'ap-northeast-1', 'cannot be called in ap-northeast-1'],
    [undefined, `jp.${lite}`, 'eu-west-1', 'cannot be called in eu-west-1'],
    ['us-gov-west-1', `us.${lite}`, undefined, 'cannot be called in us-gov-west-1'],
    ['us-gov-west-1', 'global.amazon.nova-2-lite-v1:0', undefined, 'cannot be called in us-gov-west-1'],
    [
      'cn-north-1',
      lite,
      'us-east-1',
      'models.main.region: must be one that takes the credentials of cn-north-1',
    ],
    [
      'us-east-1',
      'arn:aws:bedrock:us-east-1:111122223333:application-inference-profile/a',
      undefined,
      'an ARN',
    ],
  ])('in %s are refused with %s, called in %s', (region, model, ownRegion, said) => {
    expect(() => refuseModels(modelIn(region, model, ownRegion), 'acme.json')).toThrow(said);
  });

  it.each([
    ['us-east-1', `us.${lite}`],
    ['us-gov-west-1', 'us-gov.anthropic.claude-sonnet-4-5-20250929-v1:0'],
    ['ca-central-1', `ca.${lite}`],
    ['ca-central-1', 'us.anthropic.claude-haiku-4-5-20251001-v1:0'],
    ['ap-northeast-1', 'jp.amazon.nova-2-lite-v1:0'],
    ['ap-southeast-2', 'au.anthropic.claude-haiku-4-5-20251001-v1:0'],
    ['af-south-1', 'global.anthropic.claude-haiku-4-5-20251001-v1:0'],
    ['eu-west-1', 'anthropic.claude-3-haiku-20240307-v1:0'],
    [undefined, `eu.${lite}`],
  ])('in %s may be called as %s', (region, model) => {
    expect(() => refuseModels(modelIn(region, model), 'acme.json')).not.toThrow();
  });

  it('may be called in another region than that of the tenant', () => {
    expect(() => refuseModels(modelIn('af-south-1', lite, 'us-east-1'), 'acme.json')).not.toThrow();
    expect(listModelWarnings(modelIn('af-south-1', lite, 'us-east-1'))).toEqual([]);
  });
});

test.each(RegionInfo.regions.map(({ name, partition }) => [name, partition]))(
  'a model of us-east-1 is refused in %s if its partition, %s, is not aws',
  (region, partition) => {
    const refuse = () => refuseModels(modelIn(region, lite, 'us-east-1'), 'acme.json');
    if (partition === 'aws') expect(refuse).not.toThrow();
    else expect(refuse).toThrow(`must be one that takes the credentials of ${region}`);
  },
);

test.each([
  ['us-west-2', `us.${lite}`],
  ['eu-west-1', `eu.${lite}`],
  ['ap-northeast-1', `apac.${lite}`],
  ['ca-central-1', `ca.${lite}`],
  ['us-gov-west-1', lite],
  ['af-south-1', undefined],
  ['cn-north-1', undefined],
])('the model that is proposed for %s is %s, and is not refused there', (region, id) => {
  expect(proposeId(lite, region)).toBe(id);
  if (id !== undefined) expect(() => refuseModels(modelIn(region, id), 'acme.json')).not.toThrow();
});

describe('a warning', () => {
  const warnings = (region: string, model: string) => {
    const printed: string[] = [];
    warnOfRegion(modelIn(region, model), (text) => printed.push(text));
    return printed;
  };

  it('names the profile of a model that the region has by profile only', () => {
    expect(warnings('eu-west-1', lite)).toEqual([
      `models.main.model: eu-west-1 may have ${lite} only by an inference profile such as "eu.${lite}"; \`aws bedrock list-inference-profiles --region eu-west-1\` lists the profiles there.`,
    ]);
    expect(warnings('af-south-1', lite)).toEqual([
      expect.stringContaining('only by an inference profile; `aws'),
    ]);
  });

  it('names a region that may be misspelled', () => {
    expect(warnings('eu-centrall-1', `eu.${lite}`)).toEqual([
      'region: the CDK does not know "eu-centrall-1". The deployment fails if AWS does not have it either.',
    ]);
  });

  it.each(['us-east-1', 'us-gov-west-1'])('is not given for a model that %s has itself', (region) => {
    expect(warnings(region, lite)).toEqual([]);
  });
});
