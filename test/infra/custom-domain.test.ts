// The domain of a tenant: its certificate, its DNS record, and how X-Ray samples what arrives there.
import { describe, expect, it } from 'vitest';
import { at, deployedTemplate, ofType, tenantLike } from './demo-app.ts';

const domainName = 'agents.example.com';
const certificateArn = 'arn:aws:acm:eu-central-1:111122223333:certificate/1';
const hostedZone = { id: 'Z0123456789ABC', name: 'example.com' };
const templateFor = (more: object) => deployedTemplate(tenantLike({ customDomain: { domainName, ...more } }));
const only = (template: ReturnType<typeof templateFor>, type: string) => {
  const [first, ...others] = ofType(template, type);
  expect(others).toEqual([]);
  return first;
};

describe('a custom domain', () => {
  it.each([
    ['a certificate', { certificateArn }],
    ['a zone', { hostedZone }],
    ['both', { certificateArn, hostedZone }],
  ])('with %s accepts TLS 1.2 and later only, in its region, and is mapped at its root', (_, more) => {
    const template = templateFor(more);
    const [id, domain] = only(template, 'AWS::ApiGateway::DomainName') ?? [];
    expect(domain).toMatchObject({
      DomainName: domainName,
      SecurityPolicy: 'TLS_1_2',
      EndpointConfiguration: { Types: ['REGIONAL'] },
    });
    const [, mapping] = only(template, 'AWS::ApiGateway::BasePathMapping') ?? [];
    expect(mapping).toMatchObject({ DomainName: { Ref: id } });
    expect(mapping).not.toHaveProperty('BasePath');
  });

  it('with a zone has a record there that leads to the gateway', () => {
    const template = templateFor({ certificateArn, hostedZone });
    const [domain] = only(template, 'AWS::ApiGateway::DomainName') ?? [];
    expect(only(template, 'AWS::Route53::RecordSet')?.[1]).toEqual({
      Name: `${domainName}.`,
      Type: 'A',
      HostedZoneId: hostedZone.id,
      AliasTarget: {
        DNSName: { 'Fn::GetAtt': [domain, 'RegionalDomainName'] },
        HostedZoneId: { 'Fn::GetAtt': [domain, 'RegionalHostedZoneId'] },
      },
    });
    expect(ofType(template, 'AWS::CertificateManager::Certificate')).toEqual([]);
    expect(at(only(template, 'AWS::ApiGateway::DomainName'), '1.RegionalCertificateArn')).toBe(
      certificateArn,
    );
  });

  it('with a zone and no certificate has one that ACM validates and renews by a record in the zone', () => {
    const template = templateFor({ hostedZone });
    const [id, certificate] = only(template, 'AWS::CertificateManager::Certificate') ?? [];
    expect(certificate).toMatchObject({
      DomainName: domainName,
      ValidationMethod: 'DNS',
      DomainValidationOptions: [{ DomainName: domainName, HostedZoneId: hostedZone.id }],
    });
    const domain = only(template, 'AWS::ApiGateway::DomainName');
    expect(at(domain, '1.RegionalCertificateArn')).toEqual({ Ref: id });
  });

  it('without a zone has no record: its target is an output', () => {
    const template = templateFor({ certificateArn });
    expect(ofType(template, 'AWS::Route53::RecordSet')).toEqual([]);
    expect(template.Outputs).toHaveProperty('CustomDomainTarget');
  });
});

describe('traces', () => {
  it('of a tenant are sampled as its file says, and only its own', () => {
    const template = deployedTemplate(tenantLike({ traceSampling: { perSecond: 2, share: 0.1 } }));
    const [, rule] = only(template, 'AWS::XRay::SamplingRule') ?? [];
    expect(at(rule, 'SamplingRule')).toMatchObject({
      RuleName: 't-demo',
      ReservoirSize: 2,
      FixedRate: 0.1,
      ServiceName: '*',
      URLPath: '*',
    });
    const [api] = ofType(template, 'AWS::ApiGateway::RestApi').map(([id]) => id);
    expect(JSON.stringify(at(rule, 'SamplingRule.ResourceARN'))).toContain(
      `:apigateway:",{"Ref":"AWS::Region"},"::/restapis/",{"Ref":"${api}"},"/stages/main"`,
    );
  });

  it('are sampled by the rule of X-Ray unless the file says so', () => {
    expect(ofType(deployedTemplate(), 'AWS::XRay::SamplingRule')).toEqual([]);
  });
});
