// What happens to access and its records when DynamoDB fails, and what denied requests may cost. The handlers
// run in this process, with a silent log, behind a proxy that answers in the engine's place.
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import * as z from 'zod';
import * as list from '#functions/registry/list.ts';
import { type AwsProxy, startAwsProxy, type Verdict } from '#test/support/aws-proxy.ts';
import { newCaller, unique } from '#test/support/caller.ts';
import { eventFor, lambdaContext } from '#test/support/events.ts';
import { printedRecords } from '#test/support/printed-records.ts';

const failure: Verdict = {
  status: 500,
  error: { __type: 'InternalServerError', message: 'A secret of AWS.' },
};

let proxy: AwsProxy | undefined;
let failing = '';
const requests: string[] = [];

beforeAll(async () => {
  const upstream = process.env.AWS_ENDPOINT_URL_DYNAMODB;
  if (!upstream) throw new Error('This test needs the local host: run it without BASE_URL.');
  proxy = await startAwsProxy(upstream, (operation, body) => {
    const text = body.toString();
    requests.push(`${operation} ${text}`);
    return failing !== '' && text.includes(failing) ? failure : 'pass';
  });
  process.env.AWS_ENDPOINT_URL_DYNAMODB = proxy.url;
});
afterEach(() => {
  failing = '';
  requests.length = 0;
  printedRecords.length = 0;
});
afterAll(async () => await proxy?.close());

async function ask(key: string, workspaceid = 'ws_a') {
  const event = eventFor('listRegistryRows', { key, query: { workspaceid } });
  const answer = await list.handler(event, lambdaContext());
  return z.object({ statusCode: z.number(), body: z.string() }).parse(answer);
}

test('a request prints its audit record at every log level, and does not write to the trail itself', async () => {
  expect(process.env.LOG_LEVEL).toBe('SILENT');
  expect((await ask((await newCaller()).key)).statusCode).toBe(200);
  expect((await ask((await newCaller({ scopes: [] })).key)).statusCode).toBe(403);
  expect((await ask('bad')).statusCode).toBe(401);
  expect(requests.filter((text) => text.includes('AUDIT#'))).toEqual([]);
  expect(printedRecords.map(({ status, code }) => [status, code])).toEqual([
    [200, undefined],
    [403, 'permission_denied'],
    [401, 'unauthenticated'],
  ]);
});

test('a request that fails late prints its record, with its resource, before its response', async () => {
  failing = 'WS#';
  const { key, id, orgid } = await newCaller();
  expect((await ask(key)).statusCode).toBe(503);
  expect(printedRecords).toMatchObject([
    { caller: id, orgid, workspaceid: 'ws_a', status: 503, code: 'dependency_unavailable' },
  ]);
});

test('a key whose status cannot be read gives 503, neither 200 nor 401', async () => {
  failing = 'KEY#';
  const { key } = await newCaller();
  const { statusCode, body } = await ask(key);
  expect(statusCode).toBe(503);
  expect(body).not.toContain('secret');
  failing = '';
  expect((await ask(key)).statusCode).toBe(200);
});

test('a record has only the documented members', async () => {
  const caller = await newCaller();
  await ask(caller.key);
  expect(printedRecords).toEqual([
    {
      at: expect.any(String),
      requestid: expect.any(String),
      operation: 'registry/list',
      caller: caller.id,
      orgid: caller.orgid,
      workspaceid: 'ws_a',
      status: 200,
    },
  ]);
});

test('a flood of requests without valid credentials leaves a limited number of records, which belong to no organisation', async () => {
  for (let n = 0; n < 60; n += 1) await ask('bad', unique('ws'));
  expect(printedRecords.length).toBeGreaterThan(0);
  expect(printedRecords.length).toBeLessThanOrEqual(25);
  for (const record of printedRecords) {
    expect(record).not.toHaveProperty('orgid');
    expect(record).not.toHaveProperty('workspaceid');
  }
});
