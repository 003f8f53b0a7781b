// The domains of a tenant: how one is made, and its certificate and DNS record where the account has its zone in Route 53.
import { createHash } from 'node:crypto';
import {
  DomainName,
  type DomainNameOptions,
  EndpointType,
  type RestApi,
  SecurityPolicy,
} from 'aws-cdk-lib/aws-apigateway';
import { Certificate, CertificateValidation, type ICertificate } from 'aws-cdk-lib/aws-certificatemanager';
import {
  ARecord,
  HostedZone,
  type IAliasRecordTarget,
  type IHostedZone,
  RecordTarget,
} from 'aws-cdk-lib/aws-route53';
import { ApiGateway, ApiGatewayDomain } from 'aws-cdk-lib/aws-route53-targets';
import { Construct } from 'constructs';
import type { Domain } from './addresses.ts';

export const domainOptions = (scope: Construct, domain: Domain): DomainNameOptions => ({
  domainName: domain.domainName,
  certificate: domainCertificate(scope, domain),
  endpointType: EndpointType.REGIONAL,
  securityPolicy: SecurityPolicy.TLS_1_2,
});

/** The record of the domain that is made with the API. */
export const addDomainRecord = (scope: Construct, api: RestApi, domain: Domain): void =>
  addRecord(scope, domain, new ApiGateway(api));

/**
 * Serves the API at further domains. What a domain consists of is named after it, so its place in the tenant file does
 * not matter. Returns where the DNS record of each leads.
 */
export function addDomains(
  scope: Construct,
  api: RestApi,
  domains: readonly Domain[],
): Record<string, string> {
  const targets = domains.map((domain) => {
    const own = new Construct(scope, `Domain${shortHash(domain.domainName)}`);
    const made = new DomainName(own, 'Name', domainOptions(own, domain));
    made.addBasePathMapping(api, { stage: api.deploymentStage });
    addRecord(own, domain, new ApiGatewayDomain(made));
    return [domain.domainName, made.domainNameAliasDomainName];
  });
  return Object.fromEntries(targets);
}

const shortHash = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 8);

/** That of the tenant file, or one that ACM issues and renews, for which it needs a record in the zone. */
function domainCertificate(
  scope: Construct,
  { domainName, certificateArn, hostedZone }: Domain,
): ICertificate {
  if (certificateArn !== undefined)
    return Certificate.fromCertificateArn(scope, 'Certificate', certificateArn);
  if (!hostedZone) throw new Error(`${domainName}: a certificate or a hosted zone is needed.`);
  const validation = CertificateValidation.fromDns(zoneOf(scope, hostedZone));
  return new Certificate(scope, 'DomainCertificate', { domainName, validation });
}

/** Nothing without a zone: then the record is made elsewhere, and leads to the target that an output has. */
function addRecord(scope: Construct, { domainName, hostedZone }: Domain, target: IAliasRecordTarget): void {
  if (!hostedZone) return;
  // The full name, with the dot at its end: the zone may have the same name.
  new ARecord(scope, 'DomainRecord', {
    zone: zoneOf(scope, hostedZone),
    recordName: `${domainName}.`,
    target: RecordTarget.fromAlias(target),
  });
}

function zoneOf(scope: Construct, { id, name }: NonNullable<Domain['hostedZone']>): IHostedZone {
  const existing = scope.node.tryFindChild('Zone');
  if (existing && isZone(existing)) return existing;
  return HostedZone.fromHostedZoneAttributes(scope, 'Zone', { hostedZoneId: id, zoneName: name });
}

const isZone = (made: object): made is IHostedZone => 'hostedZoneId' in made;
