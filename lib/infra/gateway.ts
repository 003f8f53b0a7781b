// The REST API of a tenant: stage, logs, limits and address. `routes.ts` adds the methods.
import {
  AccessLogField,
  AccessLogFormat,
  ApiKeySourceType,
  EndpointType,
  LogGroupLogDestination,
  MethodLoggingLevel,
  RestApi,
  Stage,
  type StageOptions,
} from 'aws-cdk-lib/aws-apigateway';
import { Aws } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import { domainsOf, extraStage, servedStages } from './addresses.ts';
import { addDomainRecord, domainOptions } from './custom-domain.ts';
import { addGatewayResponses } from './gateway-responses.ts';
import { addLogGroup } from './log-group.ts';
import type { Tenant } from './tenant.ts';

export function newGateway(scope: Construct, tenant: Tenant): RestApi {
  const original = domainsOf(tenant).find(({ formerly }) => formerly === 'customDomain');
  const stageOptions = optionsOfStages(scope, tenant);
  const api = new RestApi(scope, 'Gateway', {
    restApiName: `agent-flow-${tenant.id}`,
    description: `Agent flows of ${tenant.id}`,
    // A streamed response may be idle for 5 minutes; an edge-optimised API would close it after 30 s.
    endpointTypes: [EndpointType.REGIONAL],
    disableExecuteApiEndpoint: servedStages(tenant).length === 0,
    // Our API keys are JWTs in X-API-Key, which API Gateway would check as its own keys without this setting.
    apiKeySourceType: ApiKeySourceType.AUTHORIZER,
    deployOptions: { stageName: tenant.stageName, ...stageOptions },
    ...(original && { domainName: domainOptions(scope, original) }),
  });
  // Our own output `GatewayUrl` replaces that of CDK, which ignores the custom domain.
  api.node.tryRemoveChild('Endpoint');
  addGatewayResponses(api, gatewayUrl(api, tenant));
  if (original) addDomainRecord(scope, api, original);
  const extra = extraStage(tenant);
  if (extra !== undefined) keepStage(api, extra, stageOptions);
  return api;
}

/** The options of the current stage, and of a former one that stays on. */
const optionsOfStages = (scope: Construct, tenant: Tenant): StageOptions => ({
  throttlingRateLimit: tenant.throttle.rate,
  throttlingBurstLimit: tenant.throttle.burst,
  tracingEnabled: true,
  // Execution logs would hold bodies and credentials.
  loggingLevel: MethodLoggingLevel.OFF,
  dataTraceEnabled: false,
  metricsEnabled: false,
  accessLogDestination: new LogGroupLogDestination(addLogGroup(scope, 'Gateway', tenant)),
  accessLogFormat: AccessLogFormat.custom(JSON.stringify(accessLog)),
});

/** With the id that CDK gave the stage while it was the only one, so that CloudFormation leaves it where it is. */
function keepStage(api: RestApi, stageName: string, options: StageOptions): void {
  const { latestDeployment: deployment } = api;
  if (!deployment) throw new Error('The API has no deployment.');
  new Stage(api, `DeploymentStage.${stageName}`, { deployment, stageName, ...options });
}

/** What cards, tokens and mails have. */
export function gatewayUrl(api: RestApi, tenant: Tenant): string {
  const [first] = domainsOf(tenant);
  return first ? `https://${first.domainName}` : stageUrl(api, tenant.stageName);
}

/** Where the service is reached, too. */
export function otherAddresses(api: RestApi, tenant: Tenant): readonly string[] {
  const [, ...domains] = domainsOf(tenant);
  const stages = tenant.formerStage === undefined ? [] : [stageUrl(api, tenant.formerStage)];
  return [...domains.map(({ domainName }) => `https://${domainName}`), ...stages];
}

/** Built from the API's id: `api.url` depends on the stage and so on the functions, which need the URL. */
const stageUrl = (api: RestApi, stageName: string): string =>
  `https://${api.restApiId}.execute-api.${Aws.REGION}.${Aws.URL_SUFFIX}/${stageName}`;

/**
 * No query strings and no headers except the user agent, because they can contain credentials. Callers choose the user
 * agent, so it comes first: of two members with one name readers take the last. API Gateway escapes quotes in values
 * (docs/operations.md, "Observe").
 */
const accessLog = {
  userAgent: AccessLogField.contextIdentityUserAgent(),
  requestId: AccessLogField.contextRequestId(),
  domain: AccessLogField.contextDomainName(),
  time: AccessLogField.contextRequestTimeEpoch(),
  ip: AccessLogField.contextIdentitySourceIp(),
  method: AccessLogField.contextHttpMethod(),
  route: AccessLogField.contextResourcePath(),
  path: AccessLogField.contextPath(),
  status: AccessLogField.contextStatus(),
  bytes: AccessLogField.contextResponseLength(),
  latencyMs: AccessLogField.contextResponseLatency(),
  integrationLatencyMs: AccessLogField.contextIntegrationLatency(),
  gatewayError: AccessLogField.contextErrorResponseType(),
  traceId: AccessLogField.contextXrayTraceId(),
};
