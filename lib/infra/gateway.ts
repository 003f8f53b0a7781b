// The REST API of a tenant: stage, logs, limits and address. `routes.ts` adds the methods.
import {
  AccessLogField,
  AccessLogFormat,
  ApiKeySourceType,
  EndpointType,
  LogGroupLogDestination,
  MethodLoggingLevel,
  RestApi,
  SecurityPolicy,
} from 'aws-cdk-lib/aws-apigateway';
import { Aws } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import { addDomainRecord, domainCertificate } from './custom-domain.ts';
import { addGatewayResponses } from './gateway-responses.ts';
import { addLogGroup } from './log-group.ts';
import type { Tenant } from './tenant.ts';

export function newGateway(scope: Construct, tenant: Tenant): RestApi {
  const { customDomain } = tenant;
  const api = new RestApi(scope, 'Gateway', {
    restApiName: `agent-flow-${tenant.id}`,
    description: `Agent flows of ${tenant.id}`,
    // A streamed response may be idle for 5 minutes; an edge-optimised API would close it after 30 s.
    endpointTypes: [EndpointType.REGIONAL],
    disableExecuteApiEndpoint: customDomain !== undefined,
    // Our API keys are JWTs in X-API-Key, which API Gateway would check as its own keys without this setting.
    apiKeySourceType: ApiKeySourceType.AUTHORIZER,
    deployOptions: {
      stageName: tenant.stageName,
      throttlingRateLimit: tenant.throttle.rate,
      throttlingBurstLimit: tenant.throttle.burst,
      tracingEnabled: true,
      // Execution logs would hold bodies and credentials.
      loggingLevel: MethodLoggingLevel.OFF,
      dataTraceEnabled: false,
      metricsEnabled: false,
      accessLogDestination: new LogGroupLogDestination(addLogGroup(scope, 'GatewayLogs', tenant)),
      accessLogFormat: AccessLogFormat.custom(JSON.stringify(accessLog)),
    },
    ...(customDomain && {
      domainName: {
        domainName: customDomain.domainName,
        certificate: domainCertificate(scope, customDomain),
        endpointType: EndpointType.REGIONAL,
        securityPolicy: SecurityPolicy.TLS_1_2,
      },
    }),
  });
  // Our own output `GatewayUrl` replaces that of CDK, which ignores the custom domain.
  api.node.tryRemoveChild('Endpoint');
  addGatewayResponses(api, gatewayUrl(api, tenant));
  if (customDomain) addDomainRecord(scope, api, customDomain);
  return api;
}

/** Built from the API's id: `api.url` depends on the stage and so on the functions, which need the URL. */
export function gatewayUrl(api: RestApi, { customDomain, stageName }: Tenant): string {
  if (customDomain) return `https://${customDomain.domainName}`;
  return `https://${api.restApiId}.execute-api.${Aws.REGION}.${Aws.URL_SUFFIX}/${stageName}`;
}

/**
 * No query strings and no headers except the user agent, because they can contain credentials. Callers choose the user
 * agent, so it comes first: of two members with one name readers take the last. API Gateway escapes quotes in values
 * (docs/operations.md, "Observe").
 */
const accessLog = {
  userAgent: AccessLogField.contextIdentityUserAgent(),
  requestId: AccessLogField.contextRequestId(),
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
