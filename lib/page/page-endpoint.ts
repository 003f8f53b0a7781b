// The endpoint of a page: what other routes answer as problem details, it answers as HTML.
import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import type * as z from 'zod';
import { atFirstAddress, findAddress } from '#lib/addresses.ts';
import { requireEnv } from '#lib/env.ts';
import type { ProxyAnswer } from '#lib/http/answer.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { problem } from '#lib/http/problem.ts';
import type { Route } from '#lib/http/route.ts';
import { seeOther } from './page.ts';
import { showProblem } from './problem-page.ts';

type Run<Q extends z.ZodType> = Parameters<typeof endpoint<z.ZodUndefined, Q, z.ZodUndefined, z.ZodType>>[1];

export function pageEndpoint<Q extends z.ZodType>(
  route: Route<z.ZodUndefined, Q, z.ZodUndefined, z.ZodType>,
  run: Run<Q>,
  /** The address of a link on pages of errors, to try again. */
  back?: (event: APIGatewayProxyEvent) => string,
) {
  const handle = endpoint(route, run);
  return async (event: APIGatewayProxyEvent, context: Context): Promise<ProxyAnswer> =>
    leadToFirstAddress(event) ?? toHtml(await handle(event, context), back?.(event));
}

/**
 * A page is at the first address only: sessions are cookies of its host, forms must come from there, and so must what an
 * identity provider answers. Undefined for a request there, and for one that does not ask for a page.
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

/** Problem details as a page; any other answer as it is, and that to another method as API Gateway gives it. */
export function toHtml(answer: ProxyAnswer, back?: string): ProxyAnswer {
  const { statusCode, headers, body } = answer;
  if (statusCode === 405) return answer;
  if (headers['content-type'] !== 'application/problem+json') return answer;
  const page = showProblem(problem.parse(JSON.parse(String(body))), back);
  return {
    ...answer,
    headers: { ...headers, ...page.headers, 'content-type': page.contentType },
    body: page.text,
  };
}
