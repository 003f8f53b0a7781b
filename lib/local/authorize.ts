// Calls the authorizer of a method as API Gateway does it: a Lambda authorizer of type REQUEST, without caching.
import * as z from 'zod';
import { accountId, partition, region } from './account.ts';
import type { Api } from './api.ts';
import { GatewayError } from './gateway-error.ts';
import { errorMessage, type Functions } from './lambda.ts';
import type { Match } from './match.ts';
import type { proxyEvent } from './proxy-event.ts';

type ProxyEvent = ReturnType<typeof proxyEvent>;

/** A context is a flat map; its values reach the function as texts. */
const output = z.object({
  principalId: z.string(),
  policyDocument: z.object({
    Statement: z
      .array(z.object({ Action: z.string(), Effect: z.enum(['Allow', 'Deny']), Resource: z.string() }))
      .length(1),
  }),
  context: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]).transform(String)).default({}),
});

/** Returns the event of the function, which contains what the authorizer has found. */
export async function authorize(
  event: ProxyEvent,
  { method }: Match,
  api: Api,
  functions: Functions,
): Promise<object> {
  const { authorizerName } = method;
  if (authorizerName === undefined) return event;
  const { body: _, isBase64Encoded: __, ...head } = event;
  const methodArn = `arn:${partition}:execute-api:${region}:${accountId}:${api.id}/${api.stage}/${event.httpMethod}${event.path}`;
  const { principalId, context, policyDocument } = await decide(
    functions.invoke(authorizerName, { type: 'REQUEST', methodArn, ...head }),
  );
  const [statement] = policyDocument.Statement;
  if (statement?.Effect !== 'Allow' || statement.Resource !== methodArn)
    throw new GatewayError('ACCESS_DENIED');
  const authorizer = { principalId, ...context };
  return { ...event, requestContext: { ...event.requestContext, authorizer } };
}

async function decide(answer: Promise<unknown>): Promise<z.output<typeof output>> {
  const given = await answer.catch((error: unknown) => {
    // The message alone decides.
    if (errorMessage(error) === 'Unauthorized') throw new GatewayError('UNAUTHORIZED');
    throw new GatewayError('AUTHORIZER_FAILURE', error);
  });
  const read = output.safeParse(given);
  if (read.success) return read.data;
  throw new GatewayError('AUTHORIZER_CONFIGURATION_ERROR', new Error(z.prettifyError(read.error)));
}
