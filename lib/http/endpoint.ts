// Makes a Lambda handler from a row of the route table and a function: authentication, authorisation,
// validation, and the form of answers.
import middy from '@middy/core';
import { executionModeStandard } from '@middy/core/Standard';
import { executionModeStreamifyResponse } from '@middy/core/StreamifyResponse';
import httpEventNormalizer from '@middy/http-event-normalizer';
import httpHeaderNormalizer from '@middy/http-header-normalizer';
import httpJsonBodyParser from '@middy/http-json-body-parser';
import type * as z from 'zod';
import { ServiceError } from '#lib/errors.ts';
import {
  type Answer,
  collectBody,
  discardBody,
  type ProxyAnswer,
  toBytes,
  toProxyAnswer,
  waitForEnd,
} from './answer.ts';
import { withClientSignal } from './client-left.ts';
import * as steps from './endpoint-steps.ts';
import type { Request } from './request.ts';
import type { Route } from './route.ts';

type Run<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, R extends z.ZodType> = (
  request: Request<z.output<P>, z.output<Q>, z.output<B>>,
) => Promise<Answer<z.input<R>>>;

interface EndpointOptions {
  readonly formatProblem?: steps.FormatByAddress;
  /** Of a route that takes YAML. */
  readonly loadYaml?: steps.LoadYaml;
}

/** The handler of a route that answers at once. */
export function endpoint<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, R extends z.ZodType>(
  route: Route<P, Q, B, R>,
  run: NoInfer<Run<P, Q, B, R>>,
  options: EndpointOptions = {},
) {
  return assemble(route, responder(route, run), executionModeStandard, options);
}

/**
 * The handler of a route that streams. `buffered` is the same for hosts without response streaming (SAM): it
 * answers when the stream has ended.
 */
export function streamEndpoint<
  P extends z.ZodType,
  Q extends z.ZodType,
  B extends z.ZodType,
  R extends z.ZodType,
>(route: Route<P, Q, B, R>, run: NoInfer<Run<P, Q, B, R>>, options: EndpointOptions = {}) {
  const respond = responder(route, run);
  return {
    handler: withClientSignal(
      assemble(
        route,
        async (request) => {
          const answer = await respond(request);
          return request.signal.aborted ? await discardBody(answer) : toBytes(answer);
        },
        executionModeStreamifyResponse,
        options,
      ),
    ),
    buffered: assemble(
      route,
      async (request) => await collectBody(await respond(request)),
      executionModeStandard,
      options,
    ),
  };
}

/** `accept` has parsed the request with the very schemas that type it. */
function responder<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, R extends z.ZodType>(
  route: Route<P, Q, B, R>,
  run: Run<P, Q, B, R>,
) {
  return async (request: Request) => toProxyAnswer(route, await run(request as Parameters<typeof run>[0]));
}

function assemble(
  route: Route,
  respond: (request: Request) => Promise<ProxyAnswer>,
  executionMode: typeof executionModeStandard,
  { formatProblem = () => undefined, loadYaml }: EndpointOptions,
) {
  const handler = middy<unknown, ProxyAnswer>({
    executionMode,
    timeoutEarlyInMillis,
    timeoutEarlyResponse,
    requestEnd,
  });
  const isParsed = steps.isParsedByMiddy(route);
  handler.use(steps.account(route, formatProblem));
  // For the parser alone: the steps read the event as it is.
  if (isParsed) handler.use(httpHeaderNormalizer()).use(httpEventNormalizer());
  handler.use(steps.identify(route)).use(steps.bound(route));
  if (isParsed) handler.use(steps.explain(route)).use(httpJsonBodyParser());
  return handler.use(steps.accept(route, loadYaml)).handler(async (event) => await respond(event as Request));
}

/**
 * Lambda freezes a function once its handler has returned, including the work that it still does for a client
 * that left.
 */
const requestEnd = async ({ response }: { response?: ProxyAnswer | null }) => {
  if (response) await waitForEnd(response);
};

/** Early enough that the error still reaches the client. */
const timeoutEarlyInMillis = 500;
const timeoutEarlyResponse = () => {
  throw new ServiceError('dependency_unavailable', { cause: 'The function ran out of time.' });
};
