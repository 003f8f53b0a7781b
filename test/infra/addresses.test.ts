// The addresses of a tenant: several domains, a former stage, and what a change of them does to a deployed stack.
import { describe, expect, it } from 'vitest';
import { type DeployedAddresses, refuseAddresses } from '#lib/infra/addresses.ts';
import { countUses, usable } from '#lib/infra/quota-check.ts';
import type { Template } from '#lib/infra/template.ts';
import type { TenantInput } from '#lib/infra/tenant.ts';
import { at, deployedTemplate, deployments, everySetting, named, ofType, tenantLike } from './demo-app.ts';

const certificateArn = 'arn:aws:acm:eu-central-1:111122223333:certificate/1';
const hostedZone = { id: 'Z0123456789ABC', name: 'example.com' };
const x = { domainName: 'x.example.com', certificateArn };
const y = { domainName: 'y.example.com', hostedZone };
const z = { domainName: 'z.example.com', certificateArn };
const original = { ...x, formerly: 'customDomain' } as const;

const made = new Map<string, Template>();
function templateOf(addresses: Partial<TenantInput>): Template {
  const key = JSON.stringify(addresses);
  const template = made.get(key) ?? deployedTemplate(tenantLike(addresses));
  made.set(key, template);
  return template;
}

/** What makes an address, by its logical id. */
const lasting = [
  'AWS::ApiGateway::RestApi',
  'AWS::ApiGateway::Stage',
  'AWS::ApiGateway::DomainName',
  'AWS::ApiGateway::BasePathMapping',
  'AWS::CertificateManager::Certificate',
  'AWS::Route53::RecordSet',
  'AWS::WAFv2::WebACLAssociation',
];
const addressesIn = ({ Resources }: Template) =>
  Object.entries(Resources).filter(([, { Type }]) => lasting.includes(Type));

/** Whatever made an address is there, with properties of which none is another. */
function expectKept(before: Template, after: Template): void {
  const found = addressesIn(before);
  expect(found.length).toBeGreaterThan(1);
  for (const [id, { Properties = {} }] of found) {
    const { DeploymentId: _, DisableExecuteApiEndpoint: __, ...kept } = Properties;
    expect(after.Resources[id]?.Properties, id).toMatchObject(kept);
  }
}

const domainsIn = (template: Template) =>
  ofType(template, 'AWS::ApiGateway::DomainName').map(([id, { DomainName }]) => [DomainName, id]);
const variable = (template: Template, name: string) => {
  const values = ofType(template, 'AWS::Lambda::Function').map(([, made]) =>
    at(made, `Environment.Variables.${name}`),
  );
  return [...new Set(values.map((value) => value && named(value)))];
};

describe('a tenant with customDomain', () => {
  it('is the same as with a list of that domain', () => {
    const text = (given: Partial<TenantInput>) =>
      JSON.stringify(templateOf(given)).replaceAll(/agent-flow-infra-\w+/g, '');
    expect(text({ domains: [original] }) === text({ customDomain: x })).toBe(true);
  });

  it.each([
    ['gets a second one', [original, y]],
    ['has another one first', [y, original]],
    ['has three', [z, original, y]],
  ] satisfies [string, TenantInput['domains']][])('that %s keeps what serves it', (_, domains) => {
    const after = templateOf({ domains });
    expectKept(templateOf({ customDomain: x }), after);
    expect(domainsIn(after)).toContainEqual(['x.example.com', 'GatewayCustomDomain31C4C83B']);
  });

  it('keeps what serves the second one, wherever that is in the list', () => {
    const before = templateOf({ domains: [original, y] });
    expectKept(before, templateOf({ domains: [y, original] }));
    const [alone] = domainsIn(templateOf({ domains: [y] }));
    expect(domainsIn(before)).toContainEqual(alone);
    expect(alone?.[1]).not.toBe('GatewayCustomDomain31C4C83B');
  });

  it('names the first one in URLs, and tells functions of the others', () => {
    const template = templateOf({ domains: [y, original] });
    expect(variable(template, 'GATEWAY_URL')).toEqual(['https://y.example.com']);
    expect(variable(template, 'OTHER_ADDRESSES')).toEqual(['https://x.example.com']);
    expect(variable(templateOf({ customDomain: x }), 'OTHER_ADDRESSES')).toEqual([undefined]);
  });
});

describe('a further domain', () => {
  const template = templateOf({ domains: [y, original, z] });

  it('has TLS 1.2, and all of the API at its root', () => {
    const domains = ofType(template, 'AWS::ApiGateway::DomainName');
    expect(domains).toHaveLength(3);
    const mappings = ofType(template, 'AWS::ApiGateway::BasePathMapping').map(([, made]) => made);
    for (const [id, made] of domains) {
      expect(made).toMatchObject({
        SecurityPolicy: 'TLS_1_2',
        EndpointConfiguration: { Types: ['REGIONAL'] },
      });
      const own = mappings.filter((mapping) => at(mapping, 'DomainName.Ref') === id);
      expect(own).toEqual([
        expect.objectContaining({ Stage: { Ref: 'GatewayDeploymentStagemainD9C275A4' } }),
      ]);
      expect(own[0]).not.toHaveProperty('BasePath');
    }
  });

  it('with a zone has a certificate and a record that leads to it', () => {
    const [, id] = domainsIn(template).find(([name]) => name === 'y.example.com') ?? [];
    const certificates = ofType(template, 'AWS::CertificateManager::Certificate').map(([, made]) => made);
    expect(certificates).toEqual([expect.objectContaining({ DomainName: 'y.example.com' })]);
    expect(ofType(template, 'AWS::Route53::RecordSet').map(([, made]) => made)).toEqual([
      {
        Name: 'y.example.com.',
        Type: 'A',
        HostedZoneId: hostedZone.id,
        AliasTarget: {
          DNSName: { 'Fn::GetAtt': [id, 'RegionalDomainName'] },
          HostedZoneId: { 'Fn::GetAtt': [id, 'RegionalHostedZoneId'] },
        },
      },
    ]);
  });

  it('has its target in an output, for a record that is made elsewhere', () => {
    const value = JSON.stringify(template.Outputs?.DomainTargets?.Value);
    for (const name of ['y.example.com', 'z.example.com']) expect(value).toContain(name);
    expect(template.Outputs?.CustomDomainName?.Value).toBe('x.example.com');
  });
});

describe('a former stage', () => {
  const main = templateOf({});
  const disabled = (template: Template) =>
    at(ofType(template, 'AWS::ApiGateway::RestApi')[0]?.[1], 'DisableExecuteApiEndpoint');
  const former = 'https://Gateway.execute-api.AWS::Region.AWS::URLSuffix/main';

  it('stays on after a move to a domain', () => {
    const after = templateOf({ domains: [y], formerStage: 'main' });
    expectKept(main, after);
    expect(disabled(after)).toBe(false);
    expect(variable(after, 'GATEWAY_URL')).toEqual(['https://y.example.com']);
    expect(variable(after, 'OTHER_ADDRESSES')).toEqual([former]);
    expect(disabled(templateOf({ domains: [y] }))).toBe(true);
  });

  it('stays on beside another one, with the same settings', () => {
    const after = templateOf({ stageName: 'v2', formerStage: 'main' });
    expectKept(main, after);
    expect(variable(after, 'OTHER_ADDRESSES')).toEqual([former]);
    const [one, other, ...more] = ofType(after, 'AWS::ApiGateway::Stage').map(([, made]) => made);
    expect(more).toEqual([]);
    expect({ ...one, StageName: '' }).toEqual({ ...other, StageName: '' });
  });

  it('may invoke every function that the current one may', () => {
    const after = templateOf({ stageName: 'v2', formerStage: 'main' });
    const sources = ofType(after, 'AWS::Lambda::Permission')
      .filter(([, { Principal }]) => Principal === 'apigateway.amazonaws.com')
      .map(([, made]) => named(made.SourceArn));
    const of = (stage: string) =>
      sources.filter((arn) => arn.includes(`Gateway/${stage}/`)).map((arn) => arn.replace(`/${stage}/`, '/'));
    expect(of('v2').length).toBeGreaterThan(100);
    expect(of('main')).toEqual(of('v2'));
  });
});

describe('a tenant file', () => {
  it.each([
    ['both forms', { customDomain: x, domains: [y] }, /domains: must not be given with customDomain: move/],
    ['a domain twice', { domains: [y, { ...y }] }, /domains\.1\.domainName: must not be in the list twice/],
    [
      'two that were first',
      { domains: [original, { ...z, formerly: 'customDomain' }] },
      /domains\.1\.formerly/,
    ],
    ['no domain', { domains: [] }, /domains: /],
    [
      'a domain without certificate',
      { domains: [{ domainName: 'a.example.com' }] },
      /domains\.0\.certificateArn/,
    ],
    ['the stage itself', { formerStage: 'main' }, /formerStage: must be another stage than stageName/],
    [
      'a stage that WAF leaves',
      { stageName: 'v2', formerStage: 'main', firewall: {} },
      /formerStage: .*firewall/,
    ],
  ])('with %s is refused by the name of the field', (_, given, expected) => {
    // @ts-expect-error: some are of another type.
    expect(() => tenantLike(given)).toThrow(expected);
  });
});

describe('a deployment', () => {
  const api = 'https://abc123.execute-api.eu-central-1.amazonaws.com';
  const refusal = (given: Partial<TenantInput>, deployed: DeployedAddresses, abandons = false) =>
    refuseAddresses(tenantLike(given), deployed, { abandons });
  const atX = { GatewayUrl: 'https://x.example.com', CustomDomainTarget: 'd-1.execute-api' };

  it.each<[string, Partial<TenantInput>, DeployedAddresses, string]>([
    ['a stage for another', { stageName: 'v2' }, { GatewayUrl: `${api}/main` }, '"formerStage": "main"'],
    ['a stage for a domain', { customDomain: y }, { GatewayUrl: `${api}/main` }, '"formerStage": "main"'],
    ['a domain for another', { customDomain: y }, atX, 'x.example.com in "domains"'],
    ['a domain for a stage', {}, atX, 'x.example.com in "domains"'],
  ])('that gives up %s is refused, and says how it is kept', (_, given, deployed, advice) => {
    const said = refusal(given, deployed);
    expect(said).toContain(`clients have ${deployed.GatewayUrl}`);
    expect(said).toContain(advice);
    expect(refusal(given, deployed, true)).toBeUndefined();
  });

  it.each<[string, Partial<TenantInput>, DeployedAddresses]>([
    ['nothing', {}, { GatewayUrl: `${api}/main` }],
    ['the stage', { stageName: 'v2', formerStage: 'main' }, { GatewayUrl: `${api}/main` }],
    [
      'the stage for a domain, which it keeps',
      { domains: [y], formerStage: 'main' },
      { GatewayUrl: `${api}/main` },
    ],
    ['customDomain to the list', { domains: [original] }, atX],
    ['the first domain', { domains: [y, original] }, atX],
    ['the stage behind a domain', { customDomain: x, stageName: 'v2' }, atX],
    [
      'the end of a former domain',
      { domains: [y] },
      {
        GatewayUrl: 'https://y.example.com',
        OtherAddresses: 'https://x.example.com',
        CustomDomainName: 'x.example.com',
      },
    ],
    ['a stack without the output', { customDomain: y }, {}],
  ])('that changes %s is not refused', (_, given, deployed) => {
    expect(refusal(given, deployed)).toBeUndefined();
  });

  it('that would make the domain of customDomain again is refused', () => {
    expect(refusal({ domains: [y, x] }, atX)).toMatch(/^x\.example\.com was made by customDomain: give it/);
    expect(refusal({ domains: [y, x] }, atX, true)).toMatch(/^x\.example\.com was made by customDomain/);
  });

  it('that would put another domain in the place of the first is refused', () => {
    const deployed = { GatewayUrl: 'https://y.example.com', OtherAddresses: 'https://z.example.com' };
    const domains = [y, { ...z, formerly: 'customDomain' as const }];
    expect(refusal({ domains }, deployed)).toMatch(/^z\.example\.com was not made by customDomain/);
  });
});

describe('a tenant that moves', () => {
  const moving = {
    ...everySetting(),
    customDomain: undefined,
    domains: [y, z, { ...original, hostedZone, certificateArn: undefined }],
    formerStage: 'main',
  };
  const uses = countUses(deployments({ ...everySetting(), ...moving }));

  it('stays within the quotas that AWS does not raise', () => {
    for (const { quota, at: place, used } of uses.filter(
      ({ quota }) => !quota.isAdjustable && quota.scope === 'each',
    ))
      expect(used, `${place}: ${quota.name}`).toBeLessThanOrEqual(usable(quota));
  });

  it('has each of its domains counted', () => {
    const found = uses.filter(({ quota }) => quota.name === 'custom domain names').map(({ used }) => used);
    expect(Math.max(...found)).toBe(3);
  });
});
