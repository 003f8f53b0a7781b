// The endpoint of the authorization server: at the addresses of pages its errors are pages too.
import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import type * as z from 'zod';
import type { ProxyAnswer } from '#lib/http/answer.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { formatDetails } from '#lib/http/problem.ts';
import type { Route } from '#lib/http/route.ts';
import { leadElsewhere, toHtml } from '#lib/page/page-endpoint.ts';
import { findEndpoint, isPage } from './oauth-request.ts';

type Run<Q extends z.ZodType> = Parameters<typeof endpoint<z.ZodUndefined, Q, z.ZodUndefined, z.ZodType>>[1];

export function oauthEndpoint<Q extends z.ZodType>(
  route: Route<z.ZodUndefined, Q, z.ZodUndefined, z.ZodType>,
  run: Run<Q>,
) {
  const formatProblem = (address?: string, subpath?: string) =>
    isPage(findEndpoint(address, subpath)) ? formatDetails : undefined;
  const handle = endpoint(route, run, { formatProblem });
  return async (event: APIGatewayProxyEvent, context: Context): Promise<ProxyAnswer> =>
    (pagePath.test(event.path) && (await leadElsewhere(event))) ||
    withoutOrigin(toHtml(await handle(event, context)));
}

const pagePath = /\/oauth\/(authorize|consent)\b/;

/** No page of another origin may read one of ours. */
function withoutOrigin(answer: ProxyAnswer): ProxyAnswer {
  if (!answer.headers['content-type']?.startsWith('text/html')) return answer;
  const headers = Object.entries(answer.headers).filter(([name]) => !name.startsWith('access-control-'));
  return { ...answer, headers: Object.fromEntries(headers) };
}
