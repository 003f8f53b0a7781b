// The events of `events/` are what a person sends with `sam local invoke` and what tests start from: they are
// what `npm run events` writes, and their routes accept them.
import { createHash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { auditLine } from '#lib/audit/audit-record.ts';
import { acceptFlow } from '#lib/flow/check/accept-flow.ts';
import { validate } from '#lib/http/validate.ts';
import { eventSources } from '#lib/routes/event-sources.ts';
import { routeList } from '#lib/routes/routes.ts';
import { printEvent, sampleEvents } from '#lib/routes/sample-events.ts';
import { deliveryMessage } from '#lib/run/delivery-queue.ts';
import { queueMessage } from '#lib/run/run-queue.ts';
import { readEvent, readEventText } from '#test/support/events.ts';

const strings = z.record(z.string(), z.string());
const lists = z.record(z.string(), z.array(z.string()).min(1));

/** Payload version 1.0 of a Lambda proxy integration. */
const proxyEvent = z.strictObject({
  resource: z.string(),
  path: z.string(),
  httpMethod: z.string(),
  headers: strings,
  multiValueHeaders: lists,
  queryStringParameters: strings.nullable(),
  multiValueQueryStringParameters: lists.nullable(),
  pathParameters: strings.nullable(),
  stageVariables: z.null(),
  requestContext: z.looseObject({
    resourcePath: z.string(),
    httpMethod: z.string(),
    path: z.string(),
    stage: z.string(),
    requestId: z.uuid(),
    identity: z.looseObject({ sourceIp: z.ipv4() }),
  }),
  body: z.string().nullable(),
  isBase64Encoded: z.literal(false),
});

const takeLast = (all: Readonly<Record<string, readonly string[]>> | null) =>
  all && Object.fromEntries(Object.entries(all).map(([name, values]) => [name, values.at(-1)]));

describe.each(routeList)('the event of %s', (_id, route) => {
  const event = proxyEvent.parse(readEvent(route.entry));

  test('matches its route, and its members are consistent', () => {
    expect(event).toMatchObject({ resource: route.path, httpMethod: route.method });
    const path = route.path.replace(
      /\{(\w+)\}/g,
      (_whole, name: string) => event.pathParameters?.[name] ?? '?',
    );
    expect(event.path).toBe(path);
    expect(event.requestContext).toMatchObject({
      resourcePath: route.path,
      httpMethod: route.method,
      path: `/${event.requestContext.stage}${path}`,
    });
    expect(event.headers).toEqual(takeLast(event.multiValueHeaders));
    expect(event.queryStringParameters).toEqual(takeLast(event.multiValueQueryStringParameters));
  });

  test('is a valid request', () => {
    const params = event.pathParameters ?? {};
    const query = event.multiValueQueryStringParameters ?? {};
    const body: unknown = event.body === null ? undefined : route.form ? {} : JSON.parse(event.body);
    expect(() => validate(route, { params, query, body })).not.toThrow();
    expect(event.body !== null).toBe(
      [route.body, route.rawBody, route.form].some((each) => each !== undefined),
    );
    if (event.body === null) return;
    expect(event.headers['Content-Length']).toBe(String(Buffer.byteLength(event.body)));
    const { flow } = z.looseObject({ flow: z.unknown().optional() }).parse(body);
    if (flow !== undefined) expect(() => acceptFlow(flow)).not.toThrow();
  });

  test('has a placeholder if its route requires a key, and no real key', () => {
    const sent = [event.headers['X-API-Key'], event.headers.Authorization].filter(
      (value) => value !== undefined,
    );
    expect(sent).toEqual(
      route.credentials.length === 0
        ? []
        : [route.credentials.includes('apiKey') ? '<API_KEY>' : 'Bearer <API_KEY>'],
    );
    expect(JSON.stringify(event)).not.toMatch(/eyJ/);
  });
});

test.each(Object.entries(sampleEvents()))('%s equals the output of `npm run events`', (entry, event) => {
  expect(readEventText(entry)).toBe(printEvent(event));
});

test.each([
  [eventSources.runQueued.entry, queueMessage],
  [eventSources.keepDeadLetter.entry, queueMessage],
  [eventSources.deliverCallback.entry, deliveryMessage],
])('the event of %s is a batch of SQS with one valid message', (entry, message) => {
  const record = z.looseObject({
    body: z.string(),
    md5OfBody: z.string(),
    eventSource: z.literal('aws:sqs'),
  });
  const { Records } = z.object({ Records: z.array(record).length(1) }).parse(readEvent(entry));
  for (const { body, md5OfBody } of Records) {
    expect(message.parse(JSON.parse(body))).toMatchObject({ orgid: 'org_demo' });
    expect(md5OfBody).toBe(createHash('md5').update(body).digest('hex'));
  }
});

test('the event of the audit trail is a delivery of CloudWatch Logs with valid records', () => {
  const { awslogs } = z
    .strictObject({ awslogs: z.strictObject({ data: z.base64() }) })
    .parse(readEvent(eventSources.recordAudit.entry));
  const { logEvents } = z
    .strictObject({
      messageType: z.literal('DATA_MESSAGE'),
      owner: z.string().regex(/^\d{12}$/),
      logGroup: z.string(),
      logStream: z.string(),
      subscriptionFilters: z.tuple([z.literal('audit')]),
      logEvents: z.array(z.strictObject({ id: z.string(), timestamp: z.int(), message: z.string() })).min(2),
    })
    .parse(JSON.parse(gunzipSync(Buffer.from(awslogs.data, 'base64')).toString()));
  for (const { message } of logEvents) {
    expect(auditLine.parse(JSON.parse(message)).audit).toMatchObject({
      orgid: 'org_demo',
      workspaceid: 'ws_demo',
    });
  }
});
