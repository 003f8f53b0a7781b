// From a row of the route table and a function to a Lambda handler: who calls, may they, is the input right, and how answers look.
import middy from '@middy/core';
import { executionModeStandard } from '@middy/core/Standard';
import { executionModeStreamifyResponse } from '@middy/core/StreamifyResponse';
import httpEventNormalizer from '@middy/http-event-normalizer';
import httpHeaderNormalizer from '@middy/http-header-normalizer';
import httpJsonBodyParser from '@middy/http-json-body-parser';
import type * as z from 'zod';
import { ServiceError } from '#lib/errors.ts';
import { type Answer, answerOf, collected, ended, inBytes, type ProxyAnswer } from './answer.ts';
import { noticingClients } from './client-left.ts';
import * as steps from './endpoint-steps.ts';
import type { Request } from './request.ts';
import type { Route } from './route.ts';

type Run<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, R extends z.ZodType> = (
  request: Request<z.output<P>, z.output<Q>, z.output<B>>,
) => Promise<Answer<z.input<R>>>;

/** The handler of a route that answers at once. */
export function endpoint<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, R extends z.ZodType>(
  route: Route<P, Q, B, R>,
  run: NoInfer<Run<P, Q, B, R>>,
) {
  return assemble(route, responder(route, run), executionModeStandard);
}

/** The handler of a route that streams; `buffered` is the same for hosts without response streaming (SAM): it answers when the stream has ended. */
export function streamEndpoint<
  P extends z.ZodType,
  Q extends z.ZodType,
  B extends z.ZodType,
  R extends z.ZodType,
>(route: Route<P, Q, B, R>, run: NoInfer<Run<P, Q, B, R>>) {
  const respond = responder(route, run);
  return {
    handler: noticingClients(
      assemble(route, async (request) => inBytes(await respond(request)), executionModeStreamifyResponse),
    ),
    buffered: assemble(
      route,
      async (request) => await collected(await respond(request)),
      executionModeStandard,
    ),
  };
}

/** `accept` has parsed the request with the very schemas that type it. */
function responder<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, R extends z.ZodType>(
  route: Route<P, Q, B, R>,
  run: Run<P, Q, B, R>,
) {
  return async (request: Request) => answerOf(route, await run(request as Parameters<typeof run>[0]));
}

function assemble(
  route: Route,
  respond: (request: Request) => Promise<ProxyAnswer>,
  executionMode: typeof executionModeStandard,
) {
  const handler = middy<unknown, ProxyAnswer>({
    executionMode,
    timeoutEarlyInMillis,
    timeoutEarlyResponse,
    requestEnd,
  });
  handler
    .use(steps.account(route))
    .use(httpHeaderNormalizer())
    .use(httpEventNormalizer())
    .use(steps.identify(route))
    .use(steps.bound(route));
  if (steps.isParsedByMiddy(route)) handler.use(steps.explain(route)).use(httpJsonBodyParser());
  return handler.use(steps.accept(route)).handler(async (event) => await respond(event as Request));
}

/** Lambda freezes a function whose handler has returned, and what it still does for a client that left with it. */
const requestEnd = async ({ response }: { response?: ProxyAnswer | null }) => {
  if (response) await ended(response);
};

/** Early enough that the answer is still heard. */
const timeoutEarlyInMillis = 500;
const timeoutEarlyResponse = () => {
  throw new ServiceError('dependency_unavailable', { cause: 'The function ran out of time.' });
};
