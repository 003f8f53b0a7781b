// Which AWS service and region the signature of a request is for, found from the host and from what a connection
// is for. A signature is good for one service in one region only.

export interface AwsScope {
  /** As signatures name it, such as `bedrock` for the host `bedrock-agent-runtime`. */
  readonly service: string;
  readonly region: string;
}

export interface AwsScopes {
  readonly services: readonly string[];
  readonly regions: readonly string[];
}

const awsDomain = /\.(amazonaws\.com(\.cn)?|api\.aws|on\.aws)$/;
const region = /^[a-z]{2}(-[a-z]+)+-\d$/;

/** Hosts whose first part is not the name that signatures have. */
const signingNames: ReadonlyMap<string, string> = new Map([
  ['bedrock-runtime', 'bedrock'],
  ['bedrock-agent', 'bedrock'],
  ['bedrock-agent-runtime', 'bedrock'],
  ['bedrock-data-automation', 'bedrock'],
  ['bedrock-data-automation-runtime', 'bedrock'],
  ['lambda-url', 'lambda'],
  ['appsync-api', 'appsync'],
  ['email', 'ses'],
  ['models-v2-lex', 'lex'],
  ['runtime-v2-lex', 'lex'],
]);

/** Labels of hosts that name neither a service nor a region. */
const variants: ReadonlySet<string> = new Set(['dualstack', 'vpce']);

/**
 * Undefined if the connection is not for the service and region of the host. A host of AWS names both; any other
 * host, such as a domain of one's own, has those of a connection that is for one service in one region.
 */
export function findAwsScope(hostname: string, { services, regions }: AwsScopes): AwsScope | undefined {
  const found = awsDomain.test(hostname) ? parseAwsHost(hostname) : onlyScope({ services, regions });
  return found && services.includes(found.service) && regions.includes(found.region) ? found : undefined;
}

function onlyScope({ services, regions }: AwsScopes): AwsScope | undefined {
  const [service, secondService] = services;
  const [region, secondRegion] = regions;
  if (service === undefined || region === undefined) return undefined;
  return secondService === undefined && secondRegion === undefined ? { service, region } : undefined;
}

/**
 * The service is before the region (`bucket.s3.eu-central-1`) or after it (`search-x.eu-central-1.es`). What callers
 * name, such as a bucket, is further in front. A host without a region is a global endpoint.
 */
function parseAwsHost(hostname: string): AwsScope | undefined {
  const labels = hostname
    .replace(awsDomain, '')
    .split('.')
    .filter((label) => !variants.has(label));
  const at = labels.findLastIndex((label) => region.test(label));
  const service = at < 0 || at < labels.length - 1 ? labels.at(-1) : labels[at - 1];
  if (service === undefined) return undefined;
  const name = service.replace(/-fips$/, '');
  const globalRegion = hostname.endsWith('.cn') ? 'cn-north-1' : 'us-east-1';
  return { service: signingNames.get(name) ?? name, region: labels[at] ?? globalRegion };
}
