// Makes a Lambda authorizer from a row of the route table. API Gateway renames `WWW-Authenticate` of a function, but
// answers what an authorizer refuses itself, with the header as the gateway responses have it. The function of the
// route checks everything again: the authorizer refuses only what the function would refuse too, and lets pass what it
// cannot decide, such as while the table of keys does not respond.
import type { APIGatewayAuthorizerResult, APIGatewayRequestAuthorizerEvent } from 'aws-lambda';
import type { Caller } from '#lib/access/caller.ts';
import { authenticate, type HeaderValues } from '#lib/access/credential.ts';
import { type ErrorCode, errorTable } from '#lib/errors.ts';
import { requestLog } from '#lib/log.ts';
import { audit } from './audit-step.ts';
import { groupHeaders, logFailure, reportRequest } from './endpoint-steps.ts';
import { asServiceError } from './problem.ts';
import type { Route } from './route.ts';

/** Throws for a caller who may not send a request with these headers. */
type Judge = (caller: Caller, headers: HeaderValues) => void;

export const authorizer =
  (route: Route, judge: Judge) =>
  async (event: APIGatewayRequestAuthorizerEvent): Promise<APIGatewayAuthorizerResult> => {
    const startedAt = Date.now();
    const headers = groupHeaders(event);
    let caller: Caller | undefined;
    try {
      caller = await authenticate(route.credentials, headers, { resource: route.resource });
      if (caller) judge(caller, headers);
      return decide('Allow', event, caller);
    } catch (error) {
      const refusal = asServiceError(error);
      if (refusal.code !== 'unauthenticated' && refusal.code !== 'insufficient_scope')
        return decide('Allow', event, caller);
      const { requestId } = event.requestContext;
      logFailure(requestLog({ request_id: requestId, route: route.entry }), refusal);
      record(route, { requestId, startedAt, caller }, refusal.code);
      // API Gateway answers 401 to this message alone, and 403 to a policy that denies.
      if (refusal.code === 'unauthenticated') throw new Error('Unauthorized');
      return decide('Deny', event, caller);
    }
  };

interface Refused {
  readonly requestId: string;
  readonly startedAt: number;
  readonly caller: Caller | undefined;
}

/** As the function does it for what it refuses. */
function record(route: Route, refused: Refused, code: ErrorCode): void {
  const { status } = errorTable[code];
  audit(route, { ...refused, status, code, workspaceid: undefined, params: {}, location: undefined });
  reportRequest(route, refused, status);
}

const decide = (
  Effect: 'Allow' | 'Deny',
  { methodArn }: APIGatewayRequestAuthorizerEvent,
  caller: Caller | undefined,
): APIGatewayAuthorizerResult => ({
  principalId: caller?.id ?? 'anonymous',
  policyDocument: {
    Version: '2012-10-17',
    Statement: [{ Action: 'execute-api:Invoke', Effect, Resource: methodArn }],
  },
});
