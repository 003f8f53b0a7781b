// The sample events of `events/`, one for each function, as AWS sends them: from a row of the route table, or
// from an event source. `npm run events` writes them; `sam local invoke` and tests take them.
import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import * as z from 'zod';
import type { AuditEntry } from '#lib/audit/audit-record.ts';
import type { CodeCall } from '#lib/code/code-call.ts';
import { toCallerIdentity } from '#lib/http/caller-identity.ts';
import type { QueueSource } from '#lib/http/event-source.ts';
import type { Route } from '#lib/http/route.ts';
import type { MigrationEvent } from '#lib/migration/progress.ts';
import type { CardToSign } from '#lib/registry/card/sign-card.ts';
import type { DeliveryMessage } from '#lib/run/delivery-queue.ts';
import type { WebhookMessage } from '#lib/run/run-queue.ts';
import { eventSources } from './event-sources.ts';
import { routeList, routes } from './routes.ts';
import { sampleBody, samples, sampleWebhook } from './samples.ts';
import { unwrapMembers } from './unwrap-lazy.ts';

/** By the path of the event in `events/`, without its `.json`. */
export const sampleEvents = (): Readonly<Record<string, object>> => ({
  ...Object.fromEntries(routeList.map(([, route]) => [route.entry, proxyEvent(route)])),
  [eventSources.runQueued.entry]: queueEvent(eventSources.runQueued, webhookMessage),
  [eventSources.keepDeadLetter.entry]: queueEvent(eventSources.keepDeadLetter, webhookMessage, {
    attributes: { DeadLetterQueueSourceArn: queueArn('RunQueue') },
    messageAttributes: { reason: stringAttribute('The flow support-triage has no live build.') },
  }),
  [eventSources.deliverCallback.entry]: queueEvent(eventSources.deliverCallback, callbackMessage, {
    attributes: { MessageGroupId: tenant.orgid },
  }),
  [eventSources.recordAudit.entry]: logsEvent(),
  [eventSources.fireDue.entry]: { scheduled_at: '2026-11-21T03:00:00Z', clock: 0 },
  [eventSources.evaluateCode.entry]: codeCall,
  [eventSources.signCard.entry]: cardToSign,
  [eventSources.migrate.entry]: { job: 'list-index', action: 'status' } satisfies MigrationEvent,
  [eventSources.authorizeConnector.entry]: authorizerEvent(routes[eventSources.authorizeConnector.route]),
});

/** JSON as Biome formats it: a list of one text is on one line. */
export const printEvent = (event: object): string =>
  `${JSON.stringify(event, undefined, 2).replace(/\[\n\s+("[^"\n]*")\n\s+\]/g, '[$1]')}\n`;

const accountId = '000000000000';
const at = new Date('2026-11-21T03:00:00Z');
const requestId = 'c6af9ac6-7b61-11e6-9a41-93e8deadbeef';
const userAgent = 'curl/8.14.1';
const host = '127.0.0.1:3000';

/** A request as a Lambda authorizer of type REQUEST receives it: without its body. */
function authorizerEvent(route: Route): object {
  const { body: _, isBase64Encoded: __, ...head } = proxyEvent(route);
  const methodArn = `arn:aws:execute-api:us-east-1:${accountId}:Gateway/local/${head.httpMethod}${head.path}`;
  return { type: 'REQUEST', methodArn, ...head };
}

/** Payload version 1.0 of a Lambda proxy integration. */
function proxyEvent(route: Route) {
  const { params, query } = samples[route.entry] ?? {};
  const pathParameters = { ...readExamples(route, route.params), ...params };
  const queryParameters = { ...readExamples(route, route.query), ...query };
  const body = requestBody(route);
  const path = route.path.replace(/\{(\w+)\}/g, (_whole, name: string) => pathParameters[name] ?? '');
  const headers = requestHeaders(route, body);
  return {
    resource: route.path,
    path,
    httpMethod: route.method,
    headers,
    multiValueHeaders: eachInList(headers),
    queryStringParameters: nullIfEmpty(queryParameters),
    multiValueQueryStringParameters: nullIfEmpty(eachInList(queryParameters)),
    pathParameters: nullIfEmpty(pathParameters),
    stageVariables: null,
    requestContext: requestContext(route, path),
    body: body ?? null,
    isBase64Encoded: false,
  };
}

/** The parameters that a request must have, from the examples of their schemas. */
function readExamples({ entry }: Route, schema: z.ZodType | undefined): Record<string, string> {
  if (!(schema instanceof z.ZodObject)) return {};
  const required = Object.entries(
    unwrapMembers(z.record(z.string(), z.instanceof(z.ZodType)).parse(schema.shape)),
  ).filter(([, parameter]) => !(parameter instanceof z.ZodOptional));
  return Object.fromEntries(
    required.map(([name, parameter]) => {
      const example = parameter.meta()?.example;
      if (typeof example === 'string') return [name, example];
      throw new Error(`${entry}: give the schema of the parameter ${name} an example, by \`.meta\`.`);
    }),
  );
}

function requestBody(route: Route): string | undefined {
  if (route.form) return new URLSearchParams(route.form.example).toString();
  if (route.body) return JSON.stringify(sampleBody(route.entry));
  return route.rawBody && JSON.stringify(samples[route.entry]?.body ?? route.rawBody.example);
}

/** `<API_KEY>` is a placeholder for the key of the sender. */
function requestHeaders(
  { credentials, rawBody, form, response, errorForm, tag }: Route,
  body: string | undefined,
): Record<string, string> {
  const isOpen = credentials.length === 0;
  return {
    Accept:
      errorForm === 'jsonRpc'
        ? 'application/json, text/event-stream'
        : (response.contentType ?? 'application/json'),
    'Accept-Encoding': 'gzip, deflate, br',
    ...(rawBody && tag === 'A2A' && { 'A2A-Version': '1.0' }),
    ...(body !== undefined && {
      'Content-Length': `${Buffer.byteLength(body)}`,
      'Content-Type': form ? 'application/x-www-form-urlencoded' : 'application/json',
    }),
    Host: host,
    'User-Agent': userAgent,
    ...(!isOpen &&
      (credentials.includes('apiKey')
        ? { 'X-API-Key': '<API_KEY>' }
        : { Authorization: 'Bearer <API_KEY>' })),
    'X-Amzn-Trace-Id': 'Root=1-691fd7a4-5f8e2b1c3d4a5b6c7d8e9f0a',
    'X-Forwarded-For': '127.0.0.1',
    'X-Forwarded-Port': '3000',
    'X-Forwarded-Proto': 'http',
  };
}

const requestContext = ({ path: resourcePath, method: httpMethod }: Route, path: string) => ({
  accountId,
  apiId: 'demo1a2b3c',
  resourceId: 'r00001',
  resourcePath,
  httpMethod,
  path: `/main${path}`,
  stage: 'main',
  protocol: 'HTTP/1.1',
  domainName: host,
  domainPrefix: '127',
  requestId,
  extendedRequestId: 'UHo1FGEEliAFnJw=',
  requestTime: '21/Nov/2026:03:00:00 +0000',
  requestTimeEpoch: at.getTime(),
  deploymentId: 'd1e2f3',
  identity: toCallerIdentity('127.0.0.1', userAgent),
});

const eachInList = (values: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, [value]]));

const nullIfEmpty = <T extends object>(values: T): T | null =>
  Object.keys(values).length === 0 ? null : values;

const tenant = { orgid: 'org_demo', workspaceid: 'ws_demo' };
const runId = '0193a5c0-7c1e-7e3b-9b5e-2f6d8c4a1b3e';
const webhookMessage: WebhookMessage = {
  kind: 'webhook',
  triggerId: runId,
  ...tenant,
  flowid: 'support-triage',
  caller: { id: 'key_demo', orgid: tenant.orgid },
  event: sampleWebhook,
  accepted_at: at.toISOString(),
};
const callbackMessage: DeliveryMessage = {
  kind: 'callback',
  run_id: runId,
  orgid: tenant.orgid,
  attempt: 0,
  wait_seconds: 0,
};

const codeCall: CodeCall = {
  code: 'return { total: input.items.reduce((sum, { price }) => sum + price, 0) };',
  input: '{"items":[{"price":12},{"price":30}]}',
  now: at.getTime(),
  seed: `${runId}.total.1`,
  timeoutMs: 100,
};

const cardToSign: CardToSign = { a2aregistryid: 'reg_01JD2Q3V5W7X9Y1Z3A5B7C9D1E', form: 'live' };

const queueNames = {
  runQueue: 'RunQueue',
  deadLetters: 'RunDeadLetterQueue',
  deliveryQueue: 'DeliveryQueue',
} as const;
const queueArn = (name: string) => `arn:aws:sqs:us-east-1:${accountId}:${name}`;

interface QueueAttributes {
  readonly attributes?: object;
  readonly messageAttributes?: object;
}

/** A batch with one message, as an event source mapping of SQS delivers it. */
function queueEvent(
  { source }: QueueSource,
  message: object,
  { attributes, messageAttributes = {} }: QueueAttributes = {},
): object {
  const body = JSON.stringify(message);
  return {
    Records: [
      {
        messageId: '19dd0b57-b21e-4ac1-bd88-01bbb068cb78',
        receiptHandle: 'AQEBwJnKyrHigUMZj6rYigCgxlaS3SLy0a',
        body,
        attributes: {
          ApproximateReceiveCount: '1',
          SentTimestamp: `${at.getTime()}`,
          SenderId: 'AROAEXAMPLE:agent-flow',
          ApproximateFirstReceiveTimestamp: `${at.getTime() + 1}`,
          MessageGroupId: Object.values(tenant).join('/'),
          ...attributes,
        },
        messageAttributes,
        md5OfBody: createHash('md5').update(body).digest('hex'),
        eventSource: 'aws:sqs',
        eventSourceARN: queueArn(queueNames[source]),
        awsRegion: 'us-east-1',
      },
    ],
  };
}

const stringAttribute = (stringValue: string) => ({
  stringValue,
  stringListValues: [],
  binaryListValues: [],
  dataType: 'String',
});

/** Two lines with audit records, as a subscription of CloudWatch Logs delivers them. */
function logsEvent(): object {
  const lines = [
    { ...auditEntry, requestid: '5b1f3a52-6f0e-4f64-9d3b-3a4c6f1c2d10', status: 200 },
    {
      ...auditEntry,
      requestid: 'c0d4f7a1-92b8-4b57-8c1e-7e0a5d3f6b21',
      status: 409,
      code: 'promotion_conflict',
    },
  ].map((audit, index) => ({
    id: `3934126452048731234567890123456789012345678901234567890${index}`,
    timestamp: at.getTime() + index,
    message: `${JSON.stringify({ audit })}\n`,
  }));
  const data = {
    messageType: 'DATA_MESSAGE',
    owner: accountId,
    logGroup: '/agent-flow/demo/PromoteRegistryRow/1f2e3d4c',
    logStream: '2026/11/21/[$LATEST]0f65c986104a4b6f8e2a4e5ba4b0d4c1',
    subscriptionFilters: ['audit'],
    logEvents: lines,
  };
  return { awslogs: { data: gzip(JSON.stringify(data)).toString('base64') } };
}

const auditEntry: Omit<AuditEntry, 'requestid' | 'status'> = {
  at: at.toISOString(),
  operation: 'registry/promote-live',
  caller: 'key_demo',
  ...tenant,
  resource: 'reg_01JD2Q3V5W7X9Y1Z3A5B7C9D1E',
};

/**
 * The same bytes on every machine: without compression, and with "unknown" in the header for the operating
 * system.
 */
function gzip(text: string): Buffer {
  const zipped = gzipSync(text, { level: 0 });
  zipped[9] = 255;
  return zipped;
}
