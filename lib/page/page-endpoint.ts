// The endpoint of a page: what other routes answer as problem details, it answers as HTML.
import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import type * as z from 'zod';
import { optionalEnv } from '#lib/env.ts';
import type { ProxyAnswer } from '#lib/http/answer.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { problem } from '#lib/http/problem.ts';
import type { Route } from '#lib/http/route.ts';
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
    (await leadElsewhere(event)) ?? toHtml(await handle(event, context), back?.(event));
}

/** Undefined unless the service has another address, and the page was asked for there. */
export const leadElsewhere = async (event: APIGatewayProxyEvent): Promise<ProxyAnswer | undefined> =>
  optionalEnv('OTHER_ADDRESSES') ? (await import('./first-address.ts')).leadToFirstAddress(event) : undefined;

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
