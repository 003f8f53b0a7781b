// What happens to access and its records when DynamoDB fails, and what denied requests may cost. The handlers run in this process, behind
// a proxy that answers in the engine's place.
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import * as z from 'zod';
import * as list from '#functions/registry/list.ts';
import { type AwsProxy, startAwsProxy, type Verdict } from '#test/support/aws-proxy.ts';
import { newCaller, unique } from '#test/support/caller.ts';
import { eventFor, lambdaContext } from '#test/support/events.ts';

const put = z.object({
  Item: z.record(z.string(), z.object({ S: z.string() }).or(z.object({ N: z.string() }))),
});
const failure: Verdict = {
  status: 500,
  error: { __type: 'InternalServerError', message: 'A secret of AWS.' },
};

let proxy: AwsProxy | undefined;
let failing = '';
const records: z.output<typeof put>['Item'][] = [];

beforeAll(async () => {
  const upstream = process.env.AWS_ENDPOINT_URL_DYNAMODB;
  if (!upstream) throw new Error('This test needs the local host: run it without BASE_URL.');
  proxy = await startAwsProxy(upstream, (operation, body) => {
    const text = body.toString();
    if (operation === 'PutItem' && text.includes('AUDIT#')) records.push(put.parse(JSON.parse(text)).Item);
    return failing !== '' && text.includes(failing) ? failure : 'pass';
  });
  process.env.AWS_ENDPOINT_URL_DYNAMODB = proxy.url;
});
afterEach(() => {
  failing = '';
  records.length = 0;
});
afterAll(async () => await proxy?.close());

async function ask(key: string, workspaceid = 'ws_a') {
  const event = eventFor('listRegistryRows', { key, query: { workspaceid } });
  const answer = await list.handler(event, lambdaContext());
  return z.object({ statusCode: z.number(), body: z.string() }).parse(answer);
}

test('a request is answered as ever when its audit record cannot be written', async () => {
  failing = 'AUDIT#';
  const { key } = await newCaller();
  expect((await ask(key)).statusCode).toBe(200);
  expect((await ask((await newCaller({ scopes: [] })).key)).statusCode).toBe(403);
  expect((await ask('bad')).statusCode).toBe(401);
});

test('a key that cannot be looked up is neither accepted nor called bad', async () => {
  failing = 'KEY#';
  const { key } = await newCaller();
  const { statusCode, body } = await ask(key);
  expect(statusCode).toBe(503);
  expect(body).not.toContain('secret');
  failing = '';
  expect((await ask(key)).statusCode).toBe(200);
});

test('a record has the listed attributes and no other, and expires after a year', async () => {
  const caller = await newCaller();
  await ask(caller.key);
  const [record] = records;
  expect(record).toEqual({
    pk: { S: `AUDIT#${caller.orgid}#ws_a#${record?.at && 'S' in record.at ? record.at.S.slice(0, 10) : ''}` },
    sk: { S: expect.any(String) },
    ttl: { N: expect.any(String) },
    at: { S: expect.any(String) },
    requestid: { S: expect.any(String) },
    operation: { S: 'registry/list' },
    caller: { S: caller.id },
    orgid: { S: caller.orgid },
    workspaceid: { S: 'ws_a' },
    status: { N: '200' },
  });
  const days = (Number(record?.ttl && 'N' in record.ttl ? record.ttl.N : 0) - Date.now() / 1000) / 86_400;
  expect(Math.round(days)).toBe(365);
});

test('a flood of requests without good credentials leaves some records, under no organisation, and no more', async () => {
  for (let n = 0; n < 60; n += 1) await ask('bad', unique('ws'));
  expect(records.length).toBeGreaterThan(0);
  expect(records.length).toBeLessThanOrEqual(25);
  for (const record of records) {
    expect(record.pk).toEqual({ S: expect.stringMatching(/^AUDIT#-#-#\d{4}-\d\d-\d\d$/) });
    expect(record).not.toHaveProperty('orgid');
  }
});
