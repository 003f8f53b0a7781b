// Pages are at the first address of the service only. It is loaded where there is another one.
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { atFirstAddress, findAddress } from '#lib/arrival.ts';
import { requireEnv } from '#lib/env.ts';
import type { ProxyAnswer } from '#lib/http/answer.ts';
import { seeOther } from './page.ts';

/**
 * Sessions are cookies of the host of the first address, forms must come from there, and so must what an identity provider
 * answers. Undefined for a request there, and for one that does not ask for a page.
 */
export function leadToFirstAddress({
  httpMethod,
  path,
  multiValueQueryStringParameters: sent,
  requestContext,
}: APIGatewayProxyEvent): ProxyAnswer | undefined {
  if (findAddress(requestContext) === requireEnv('GATEWAY_URL')) return undefined;
  if (!['GET', 'HEAD'].includes(httpMethod)) return undefined;
  const { headers } = seeOther(atFirstAddress(path, sent));
  return { statusCode: 302, headers: { ...headers, 'x-request-id': requestContext.requestId }, body: '' };
}
