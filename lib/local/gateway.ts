// The local API Gateway: matches a request, applies the limits, calls the integration and sends the response.
import { randomBytes, randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { awsLimits } from '#lib/aws-limits.ts';
import type { Api, Integration } from './api.ts';
import { authorize } from './authorize.ts';
import { GatewayError, gatewayAnswer } from './gateway-error.ts';
import { explain, type Functions } from './lambda.ts';
import { type Match, matcher } from './match.ts';
import { isBinary, proxyEvent, type RequestIdentity, splitUrl } from './proxy-event.ts';
import { type Head, parseBufferedAnswer } from './proxy-response.ts';
import { checkHeaders, readBody } from './request-body.ts';
import { streamResponse } from './stream-response.ts';

export type Gateway = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

type LambdaIntegration = Extract<Integration, { kind: 'lambda' }>;
type RequestContext = {
  readonly api: Api;
  readonly functions: Functions;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly identity: RequestIdentity;
};

/** Lambda's limit for the event and the response of a synchronous invocation: 6 MB. */
const payloadBytesMax = awsLimits.lambdaRequestBytes;

export function gateway(api: Api, functions: Functions, log: (line: string) => void): Gateway {
  const find = matcher(api.methods, api.paths);
  return async (request, response) => {
    const identity = newIdentity();
    const context = { api, functions, request, response, identity };
    try {
      checkHeaders(request);
      const match = find(request.method ?? 'GET', splitUrl(request.url ?? '/')[0]);
      if (!match) throw new GatewayError('MISSING_AUTHENTICATION_TOKEN');
      await integrate(match, context);
    } catch (error) {
      const known = asGatewayError(error);
      if (known.failure === 'CLIENT_LEFT') return;
      if (known.cause !== undefined)
        log(`${request.method} ${splitUrl(request.url ?? '/')[0]}: ${explain(known.cause)}`);
      fail(known, context);
    }
  };
}

function newIdentity(): RequestIdentity {
  return {
    requestId: randomUUID(),
    extendedRequestId: randomBytes(12).toString('base64url'),
    time: new Date(),
  };
}

function asGatewayError(error: unknown): GatewayError {
  return error instanceof GatewayError ? error : new GatewayError('FUNCTION_FAILED', error);
}

async function integrate(match: Match, context: RequestContext): Promise<void> {
  const { integration } = match.method;
  if (integration.kind === 'mock') {
    context.request.resume();
    return finish(context, mockHead(integration, context), fillTemplate(integration.body, context));
  }
  const { request, api, identity, functions } = context;
  const sent = proxyEvent(request, await readBody(request), match, api, identity);
  const event = await authorize(sent, match, api, functions);
  if (Buffer.byteLength(JSON.stringify(event)) > payloadBytesMax) throw new GatewayError('REQUEST_TOO_LARGE');
  if (!integration.isStreaming) return buffered(integration, event, context);
  const streaming = functions.stream(integration.functionName, event);
  await streamResponse(streaming, integration.timeoutMillis, context.response, (head) =>
    writeHead(context, head),
  );
}

type Mock = Extract<Integration, { kind: 'mock' }>;

function mockHead({ statusCode, headers, allowedOrigins }: Mock, context: RequestContext): AnyHead {
  const filled = Object.entries(headers).map(([name, value]) => [
    name.toLowerCase(),
    value.startsWith("'") ? value.slice(1, -1) : fillTemplate(`$${value}`, context),
  ]);
  const { origin = '' } = context.request.headers;
  const allowed = allowedOrigins.includes(origin) ? [['access-control-allow-origin', origin]] : [];
  return { statusCode, headers: Object.fromEntries([...filled, ...allowed]) };
}

/** `$context.requestId` is the only variable that the mock templates use. */
const fillTemplate = (template: string, { identity }: RequestContext): string =>
  template.replaceAll('$context.requestId', identity.requestId);

async function buffered(
  integration: LambdaIntegration,
  event: object,
  context: RequestContext,
): Promise<void> {
  const { api, functions, request } = context;
  const invoked = functions.invoke(integration.functionName, event);
  const answer = await withinTimeout(invoked, integration.timeoutMillis);
  // Measured as JSON, where the quotes of the body are escaped.
  if (Buffer.byteLength(JSON.stringify(answer)) > payloadBytesMax)
    throw new GatewayError(
      'FUNCTION_FAILED',
      new Error(`The response of ${integration.functionName} is larger than 6 MB.`),
    );
  const { body, ...head } = parseBufferedAnswer(answer, isBinary(api, request.headers.accept ?? '*/*'));
  finish(context, head, body);
}

async function withinTimeout<T>(invoked: Promise<T>, timeoutMillis: number): Promise<T> {
  const timeout = Promise.withResolvers<never>();
  const timer = setTimeout(() => timeout.reject(new GatewayError('INTEGRATION_TIMEOUT')), timeoutMillis);
  try {
    return await Promise.race([invoked, timeout.promise]);
  } finally {
    clearTimeout(timer);
    invoked.catch(() => {});
  }
}

function fail(error: GatewayError, context: RequestContext): void {
  const { request, response, api, identity } = context;
  if (response.headersSent) return void response.destroy();
  const { statusCode, headers, body } = gatewayAnswer(error, request, api, identity);
  // The client may still be sending: the rest is discarded, and the connection is closed.
  const isUnread = !request.complete;
  request.resume();
  finish(context, { statusCode, headers: isUnread ? { ...headers, connection: 'close' } : headers }, body);
}

type AnyHead = { readonly statusCode: number; readonly headers: Readonly<Record<string, string | string[]>> };

function finish(context: RequestContext, head: AnyHead, body: Buffer | string): void {
  const { response } = context;
  writeHead(context, {
    ...head,
    headers: { ...head.headers, 'content-length': String(Buffer.byteLength(body)) },
  });
  response.end(context.request.method === 'HEAD' ? undefined : body);
}

function writeHead({ response, identity }: RequestContext, { statusCode, headers }: AnyHead | Head): void {
  response.writeHead(statusCode, {
    'x-amzn-requestid': identity.requestId,
    'x-amz-apigw-id': identity.extendedRequestId,
    ...headers,
  });
}
