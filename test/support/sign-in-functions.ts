// The functions that sign people in, called in this process, for providers that a test serves itself.
import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import { routes } from '#lib/routes/routes.ts';
import { handler as finishSignIn } from '../../functions/session/callback.ts';
import { handler as beginSignIn } from '../../functions/session/login.ts';
import { readEvent } from './events.ts';
import { context } from './invocation.ts';

const handlers = { beginSignIn, finishSignIn };

export async function callSignIn(
  operationId: keyof typeof handlers,
  query: Readonly<Record<string, string>> = {},
  cookie = '',
) {
  const event = readEvent(routes[operationId].entry) as unknown as APIGatewayProxyEvent;
  const sent = {
    ...event,
    headers: { cookie },
    multiValueHeaders: { cookie: [cookie] },
    multiValueQueryStringParameters: Object.fromEntries(
      Object.entries(query).map(([name, value]) => [name, [value]]),
    ),
  };
  const answer = await handlers[operationId](sent, context as unknown as Context);
  return {
    status: answer.statusCode,
    location: answer.headers.location,
    code: /<meta name="error-code" content="(\w+)">/.exec(String(answer.body))?.[1],
    cookies: answer.multiValueHeaders?.['set-cookie'] ?? [],
    body: String(answer.body),
  };
}
