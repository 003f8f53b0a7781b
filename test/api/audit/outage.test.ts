// The way of audit records through an outage of DynamoDB, from the request to the dead letters and back: a
// host of its own with the template that deploys, and a proxy that refuses what the trail wants to write.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import * as z from 'zod';
import { issueApiKey } from '#lib/access/api-key.ts';
import { permissions } from '#lib/access/permission.ts';
import { tenantTemplate } from '#lib/infra/synth.ts';
import { awsJson } from '#lib/local/aws-json.ts';
import { type Host, startHost } from '#lib/local/host.ts';
import { type AwsProxy, startAwsProxy } from '#test/support/aws-proxy.ts';

const template = tenantTemplate({
  id: 'outage',
  models: {
    default: { provider: 'openai-compatible', model: 'm', base_url: 'https://models.example.com/v1' },
  },
  modelDefault: 'default',
});

let host: Host;
let proxy: AwsProxy;
let isDown = false;
let key = '';
beforeAll(async () => {
  const environment = { LOG_LEVEL: 'SILENT', POWERTOOLS_METRICS_DISABLED: 'true' };
  host = await startHost({ template, dataDir: undefined, port: 0, environment });
  proxy = await startAwsProxy(host.endpoints.dynamodb, (operation, body) =>
    isDown && operation === 'BatchWriteItem' && body.includes('AUDIT#')
      ? { status: 400, error: { __type: 'AccessDeniedException', message: 'No.' } }
      : 'pass',
  );
  process.env.AWS_ENDPOINT_URL_DYNAMODB = proxy.url;
  key = await issueApiKey({
    id: 'key_outage',
    orgid: 'org_outage',
    workspaces: '*',
    scopes: permissions,
    issuedAt: Math.floor(Date.now() / 1_000),
    lifetimeSeconds: 3_600,
  });
});
beforeEach(async () => {
  isDown = false;
  await host.idle();
});
afterAll(async () => {
  await host.close();
  await proxy.close();
});

const page = z.object({ items: z.array(z.object({ operation: z.string() })) });
const get = async (path: string) => await fetch(`${host.baseUrl}${path}`, { headers: { 'x-api-key': key } });
const list = async (workspaceid: string) =>
  (await get(`/api/v1/a2a-registry?workspaceid=${workspaceid}`)).status;
const trail = async (workspaceid: string) => {
  const { items } = page.parse(await (await get(`/api/v1/audit?workspaceid=${workspaceid}`)).json());
  return items.map(({ operation }) => operation).filter((operation) => operation !== 'access/list-audit');
};

const messages = z.array(z.object({ Body: z.string(), ReceiptHandle: z.string() })).default([]);
const failure = z.object({
  requestContext: z.object({ condition: z.string(), approximateInvokeCount: z.number() }),
  requestPayload: z.unknown(),
});
async function deadLetters() {
  const QueueUrl = host.outputs.AuditDeadLetterQueueUrl;
  const { Messages } = await awsJson(host.endpoints.sqs, 'AmazonSQS.ReceiveMessage', {
    QueueUrl,
    MaxNumberOfMessages: 10,
  });
  return messages.parse(Messages).map(({ Body }) => failure.parse(JSON.parse(Body)));
}

test('records that DynamoDB refuses temporarily are written by a later attempt', async () => {
  isDown = true;
  expect([await list('ws_a'), await list('ws_a')]).toEqual([200, 200]);
  await host.idle();
  expect(await trail('ws_a')).toEqual([]);
  host.flushDelayedMessages();
  await host.idle();
  isDown = false;
  host.flushDelayedMessages();
  await host.idle();
  expect(await trail('ws_a')).toEqual(['registry/list', 'registry/list']);
  expect(await deadLetters()).toEqual([]);
});

test('records that DynamoDB refuses three times become dead letters, from which the trail can be completed', async () => {
  isDown = true;
  expect(await list('ws_b')).toBe(200);
  for (let tries = 1; tries <= 3; tries += 1) {
    await host.idle();
    host.flushDelayedMessages();
  }
  await host.idle();
  isDown = false;
  expect(await trail('ws_b')).toEqual([]);
  const [dead, ...others] = await deadLetters();
  expect(others).toEqual([]);
  expect(dead?.requestContext).toEqual({ condition: 'RetriesExhausted', approximateInvokeCount: 3 });
  await host.invoke(host.outputs.AuditRecorderName ?? '', dead?.requestPayload);
  expect(await trail('ws_b')).toEqual(['registry/list']);
});
