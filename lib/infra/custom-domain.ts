// The domain of a tenant, where the account also has its zone in Route 53: certificate and DNS record.
import type { RestApi } from 'aws-cdk-lib/aws-apigateway';
import { Certificate, CertificateValidation, type ICertificate } from 'aws-cdk-lib/aws-certificatemanager';
import { ARecord, HostedZone, type IHostedZone, RecordTarget } from 'aws-cdk-lib/aws-route53';
import { ApiGateway } from 'aws-cdk-lib/aws-route53-targets';
import type { Construct } from 'constructs';
import type { Tenant } from './tenant.ts';

type CustomDomain = NonNullable<Tenant['customDomain']>;

/** That of the tenant file, or one that ACM issues and renews, for which it needs a record in the zone. */
export function domainCertificate(
  scope: Construct,
  { domainName, certificateArn, hostedZone }: CustomDomain,
): ICertificate {
  if (certificateArn !== undefined)
    return Certificate.fromCertificateArn(scope, 'Certificate', certificateArn);
  if (!hostedZone) throw new Error(`${domainName}: a certificate or a hosted zone is needed.`);
  const validation = CertificateValidation.fromDns(zoneOf(scope, hostedZone));
  return new Certificate(scope, 'DomainCertificate', { domainName, validation });
}

/** Nothing without a zone: then the record is made elsewhere, and leads to the output `CustomDomainTarget`. */
export function addDomainRecord(
  scope: Construct,
  api: RestApi,
  { domainName, hostedZone }: CustomDomain,
): void {
  if (!hostedZone) return;
  const target = RecordTarget.fromAlias(new ApiGateway(api));
  // The full name, with the dot at its end: the zone may have the same name.
  new ARecord(scope, 'DomainRecord', {
    zone: zoneOf(scope, hostedZone),
    recordName: `${domainName}.`,
    target,
  });
}

function zoneOf(scope: Construct, { id, name }: NonNullable<CustomDomain['hostedZone']>): IHostedZone {
  const existing = scope.node.tryFindChild('Zone');
  if (existing && isZone(existing)) return existing;
  return HostedZone.fromHostedZoneAttributes(scope, 'Zone', { hostedZoneId: id, zoneName: name });
}

const isZone = (made: object): made is IHostedZone => 'hostedZoneId' in made;
