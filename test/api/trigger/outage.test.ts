// What callers of triggers see while something the service depends on is down. Runs the functions in this process, behind faults.

import { createServer } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { problem } from '#lib/api/problem.ts';
import { requireEnv } from '#lib/env.ts';
import { closeServer, listen } from '#lib/local/listen.ts';
import { runResult } from '#lib/run/result.ts';
import { readRun } from '#lib/run/store.ts';
import { flow } from '#test/support/builders.ts';
import { newCaller } from '#test/support/caller.ts';
import { type FaultProxy, startFaultProxy } from '#test/support/fault-proxy.ts';
import { callingFlow, liveAgent, type TestAgent } from '#test/support/flows.ts';
import { eventOf, invokeHere, load } from '#test/support/invocation.ts';
import { startUpstream } from '#test/support/upstream.ts';

let kms: FaultProxy;
let dynamodb: FaultProxy;
beforeAll(async () => {
  const { AWS_ENDPOINT_URL_KMS = '', AWS_ENDPOINT_URL_DYNAMODB = '' } = inject('service').environment;
  kms = await startFaultProxy(AWS_ENDPOINT_URL_KMS);
  dynamodb = await startFaultProxy(AWS_ENDPOINT_URL_DYNAMODB);
  process.env.AWS_ENDPOINT_URL_KMS = kms.url;
  process.env.AWS_ENDPOINT_URL_DYNAMODB = dynamodb.url;
});
afterAll(() => Promise.all([kms.close(), dynamodb.close()]));
beforeEach(() => {
  kms.plan = () => 'pass';
  dynamodb.plan = () => 'pass';
});

const trigger = async (agent: TestAgent, remainingMs?: number) => {
  const { buffered } = await load(() => import('#functions/trigger/run.ts'));
  const params = { workspace_id: agent.workspaceid, trigger_id: agent.flowid, environment: 'live' };
  return await invokeHere(
    buffered,
    eventOf('trigger/run', { key: agent.key, params, body: { message: 'Hello' } }),
    remainingMs,
  );
};
const accept = async (agent: TestAgent) => {
  const { handler } = await import('#functions/trigger/accept-webhook.ts');
  const given = { key: agent.key, params: { flow_id: agent.flowid }, body: { event: 'x' } };
  return await invokeHere(handler, eventOf('trigger/accept-webhook', given));
};

describe('the webhook', () => {
  test.each(['nobody listens', 'nobody answers'])(
    'with a queue where %s answers 503 within 3 s',
    async (how) => {
      const agent = await liveAgent();
      expect((await accept(agent)).body.status).toBe('accepted');
      const before = requireEnv('RUN_QUEUE_URL');
      const server = createServer(() => undefined);
      const url = await listen(server, 0);
      if (how === 'nobody listens') await closeServer(server);
      process.env.RUN_QUEUE_URL = `${url}/000000000000/runs`;
      const startedAt = performance.now();
      const { statusCode, headers, body } = await accept(agent);
      process.env.RUN_QUEUE_URL = before;
      await closeServer(server).catch(() => undefined);
      expect(performance.now() - startedAt).toBeLessThan(3_000);
      expect(statusCode).toBe(503);
      expect(Number(headers['retry-after'])).toBeGreaterThan(0);
      expect(problem.parse(body).code).toBe('dependency_unavailable');
      expect((await accept(agent)).body.status).toBe('accepted');
    },
  );
});

describe('the synchronous trigger', () => {
  test.each([
    ['DisabledException', 500, 'payload_unreadable'],
    ['KMSInvalidStateException', 500, 'payload_unreadable'],
    ['AccessDeniedException', 500, 'payload_unreadable'],
    ['ThrottlingException', 503, 'dependency_unavailable'],
  ])(
    'with a key that answers %s is %i before anything runs, and works again afterwards',
    async (__type, status, code) => {
      const agent = await liveAgent();
      await trigger(await liveAgent({}, agent));
      kms.plan = (operation) => (operation === 'Decrypt' ? { __type, message: 'As planned.' } : 'pass');
      const { statusCode, body } = await trigger(agent);
      expect(statusCode).toBe(status);
      expect(problem.parse(body).code).toBe(code);
      expect(JSON.stringify(body)).not.toContain('As planned');
      kms.plan = () => 'pass';
      expect((await trigger(agent)).body.status).toBe('completed');
    },
  );

  test('ends a run before its function ends, however much of its time the start took', async () => {
    const upstream = await startUpstream();
    const agent = await liveAgent({ flow: callingFlow(upstream, ['gate/late']) });
    const { body } = await trigger(agent, 15_500);
    expect(body).toMatchObject({ status: 'failed', error: expect.stringContaining('time limit of') });
    await upstream.abandoned('late');
    await upstream.close();
  });

  test('records a run although its writes meet others on the way', async () => {
    const agent = await liveAgent();
    let conflicts = 2;
    dynamodb.plan = (operation) => {
      if (operation !== 'TransactWriteItems' || conflicts === 0) return 'pass';
      conflicts -= 1;
      return {
        __type: 'com.amazonaws.dynamodb.v20120810#TransactionCanceledException',
        Message: 'Transaction cancelled',
        CancellationReasons: [{ Code: 'TransactionConflict' }, { Code: 'None' }],
      };
    };
    const result = runResult.parse((await trigger(agent)).body);
    expect(conflicts).toBe(0);
    expect(result.status).toBe('completed');
    expect((await readRun(result.workflow_id))?.status).toBe('completed');
  });

  test('records a run once although the answers to its writes are lost', async () => {
    const nodes = { said: { type: 'reply', text: 'Hello', next: 'done' }, done: { type: 'end', output: {} } };
    const agent = await liveAgent({ flow: flow({ start: 'said', nodes }) });
    const lose = new Set(['PutItem', 'TransactWriteItems']);
    dynamodb.plan = (operation) => (lose.delete(operation) ? 'lost' : 'pass');
    const result = runResult.parse((await trigger(agent)).body);
    expect(lose.size).toBe(0);
    expect(result.status).toBe('completed');
    expect(await readRun(result.workflow_id)).toMatchObject({ status: 'completed', generation: 1 });
  });

  test('answers its result although nothing can be recorded any more', async () => {
    const agent = await liveAgent();
    const __type = 'com.amazonaws.dynamodb.v20120810#ValidationException';
    dynamodb.plan = (operation) => (operation === 'TransactWriteItems' ? { __type, message: 'No.' } : 'pass');
    expect((await trigger(agent)).body).toMatchObject({ status: 'completed', response: { said: 'Hello' } });
  });

  test('with a table that throttles is 503 before anything runs', async () => {
    const caller = await newCaller();
    const agent = await liveAgent({}, caller);
    await trigger(agent);
    const __type = 'com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException';
    dynamodb.plan = (operation) => (operation === 'PutItem' ? { __type, message: 'Slow down.' } : 'pass');
    const { statusCode, headers, body } = await trigger(agent);
    expect(statusCode).toBe(503);
    expect(headers['retry-after']).toBeDefined();
    expect(problem.parse(body).code).toBe('dependency_unavailable');
  });
});
