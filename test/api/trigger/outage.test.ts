// What callers of triggers see while something the service depends on is down. Runs the functions in this
// process, behind faults.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { requireEnv } from '#lib/env.ts';
import { problem } from '#lib/http/problem.ts';
import { storeFlow } from '#lib/registry/flow-payload.ts';
import { readRow } from '#lib/registry/row/row-items.ts';
import { runResult } from '#lib/run/result.ts';
import { finishInline } from '#lib/run/run-inline.ts';
import { readRun } from '#lib/run/run-items.ts';
import { startAwsProxy } from '#test/support/aws-proxy.ts';
import { flow } from '#test/support/builders.ts';
import { unique } from '#test/support/caller.ts';
import { idle } from '#test/support/control.ts';
import { type FaultProxy, startFaultProxy } from '#test/support/fault-proxy.ts';
import { callingFlow, liveAgent, type TestAgent } from '#test/support/flows.ts';
import { buildEvent, invokeHere, load } from '#test/support/invocation.ts';
import { startedTask } from '#test/support/killed-task.ts';
import { testedService } from '#test/support/tested-service.ts';
import { startUpstream } from '#test/support/upstream.ts';

let kms: FaultProxy;
let dynamodb: FaultProxy;
beforeAll(async () => {
  const { AWS_ENDPOINT_URL_KMS = '', AWS_ENDPOINT_URL_DYNAMODB = '' } = testedService().environment;
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
    buildEvent('trigger/run', { key: agent.key, params, body: { message: 'Hello' } }),
    remainingMs,
  );
};
const accept = async (agent: TestAgent, headers: Readonly<Record<string, string>> = {}, event = 'x') => {
  const { handler } = await import('#functions/trigger/accept-webhook.ts');
  const given = { key: agent.key, params: { flow_id: agent.flowid }, body: { event }, headers };
  return await invokeHere(handler, buildEvent('trigger/accept-webhook', given));
};

const tableRefusal = (name: string) => ({
  __type: `com.amazonaws.dynamodb.v20120810#${name}`,
  message: 'As planned.',
});

/** A proxy before the queue for the time of a test. */
async function behindFaults(check: (queue: FaultProxy) => Promise<void>) {
  const before = requireEnv('RUN_QUEUE_URL');
  const queue = await startFaultProxy(new URL(before).origin);
  process.env.RUN_QUEUE_URL = before.replace(new URL(before).origin, queue.url);
  try {
    await check(queue);
  } finally {
    process.env.RUN_QUEUE_URL = before;
    await queue.close();
  }
}
const refusal = (name: string) => ({ __type: `com.amazonaws.sqs#${name}`, message: 'As planned.' });

describe('the webhook', () => {
  test.each([
    ['nobody answers', 'hang'],
    ['every answer is lost', 'lost'],
    ['every call is throttled', refusal('RequestThrottled')],
    ['the service fails', refusal('InternalFailure')],
  ] as const)(
    'with a queue where %s answers 503 within 3 s, and accepts again afterwards',
    async (_, fault) => {
      const agent = await liveAgent();
      await behindFaults(async (queue) => {
        expect((await accept(agent)).body.status).toBe('accepted');
        queue.plan = () => fault;
        const startedAt = performance.now();
        const { statusCode, headers, body } = await accept(agent);
        expect(performance.now() - startedAt).toBeLessThan(3_000);
        expect(statusCode).toBe(503);
        expect(Number(headers['retry-after'])).toBeGreaterThan(0);
        expect(problem.parse(body).code).toBe('dependency_unavailable');
        expect(JSON.stringify(body)).not.toContain('As planned');
        queue.plan = () => 'pass';
        expect((await accept(agent)).body.status).toBe('accepted');
      });
    },
  );

  test.each([
    ['nobody answers', 'hang'],
    ['every answer is lost', 'lost'],
    ['every call is throttled', tableRefusal('ProvisionedThroughputExceededException')],
    ['the service fails', tableRefusal('InternalServerError')],
  ] as const)(
    'with a table of runs where %s accepts events with a name within 3 s, and refuses another event again afterwards',
    async (_, fault) => {
      const upstream = await startUpstream();
      const agent = await liveAgent({ flow: callingFlow(upstream, ['count/compared']) });
      const headers = { 'Idempotency-Key': unique('event') };
      const { triggerId } = (await accept(agent, headers, 'first')).body;
      await idle();
      const reads: string[] = [];
      dynamodb.plan = (operation) => {
        reads.push(operation);
        return fault;
      };
      for (const event of ['first', 'other']) {
        const startedAt = performance.now();
        expect((await accept(agent, headers, event)).body).toEqual({ status: 'accepted', triggerId });
        expect(performance.now() - startedAt).toBeLessThan(3_000);
      }
      expect(new Set(reads)).toEqual(new Set(['GetItem']));
      dynamodb.plan = () => 'pass';
      await idle();
      const { statusCode, body } = await accept(agent, headers, 'other');
      expect(statusCode).toBe(422);
      expect(problem.parse(body).code).toBe('idempotency_key_reused');
      expect(upstream.calls('compared')).toBe(1);
      await upstream.close();
    },
  );

  test('answers 503 to a named event within 3 s if neither the table nor the queue responds', async () => {
    const agent = await liveAgent();
    await behindFaults(async (queue) => {
      expect((await accept(agent)).body.status).toBe('accepted');
      dynamodb.plan = () => 'hang';
      queue.plan = () => 'hang';
      const startedAt = performance.now();
      const { statusCode } = await accept(agent, { 'Idempotency-Key': unique('event') });
      expect(performance.now() - startedAt).toBeLessThan(3_000);
      expect(statusCode).toBe(503);
    });
  });

  test('reads one item for a named event, and none for one without a name', async () => {
    const agent = await liveAgent();
    await accept(agent);
    const reads: string[] = [];
    dynamodb.plan = (operation) => {
      reads.push(operation);
      return 'pass';
    };
    expect((await accept(agent)).statusCode).toBe(202);
    expect(reads).toEqual([]);
    expect((await accept(agent, { 'webhook-id': unique('event') })).statusCode).toBe(202);
    expect(reads).toEqual(['GetItem']);
  });

  test('puts the events of each flow into a separate message group, so that no flow delays another', async () => {
    const groups: unknown[] = [];
    const before = requireEnv('RUN_QUEUE_URL');
    const { origin } = new URL(before);
    const proxy = await startAwsProxy(origin, (_operation, body) => {
      groups.push(JSON.parse(body.toString()).MessageGroupId);
      return 'pass';
    });
    process.env.RUN_QUEUE_URL = before.replace(origin, proxy.url);
    const one = await liveAgent();
    const two = await liveAgent({}, one);
    for (const agent of [one, two, one]) expect((await accept(agent)).body.status).toBe('accepted');
    process.env.RUN_QUEUE_URL = before;
    await proxy.close();
    expect(groups).toEqual([one, two, one].map(({ orgid, flowid }) => `${orgid}/${flowid}`));
  });

  test('answers 503 if the queue is unreachable', async () => {
    const agent = await liveAgent();
    await accept(agent);
    const before = requireEnv('RUN_QUEUE_URL');
    process.env.RUN_QUEUE_URL = 'http://127.0.0.1:9/000000000000/runs';
    const { statusCode } = await accept(agent);
    process.env.RUN_QUEUE_URL = before;
    expect(statusCode).toBe(503);
  });

  test('sends an event twice if the first response of the queue is lost, and it runs once', async () => {
    const upstream = await startUpstream();
    const agent = await liveAgent({ flow: callingFlow(upstream, ['count/lost']) });
    await behindFaults(async (queue) => {
      let sent = 0;
      queue.plan = () => {
        sent += 1;
        return sent === 1 ? 'lost' : 'pass';
      };
      expect((await accept(agent)).body.status).toBe('accepted');
      expect(sent).toBe(2);
    });
    await idle();
    expect(upstream.calls('lost')).toBe(1);
    await upstream.close();
  });
});

describe('a run that pauses for a time', () => {
  const pausingAgent = () =>
    liveAgent({
      flow: flow({
        start: 'pause',
        nodes: { pause: { type: 'wait', seconds: 86_400, next: 'done' }, done: { type: 'end', output: {} } },
      }),
    });

  test('ends as failed if the queue does not take its message, since nobody would resume it', async () => {
    const agent = await pausingAgent();
    await behindFaults(async (queue) => {
      queue.plan = () => refusal('InternalFailure');
      const { statusCode, body } = await trigger(agent);
      expect([statusCode, body.status, body.error]).toEqual([200, 'failed', 'The run could not be queued.']);
      expect(await readRun(String(body.workflow_id))).toMatchObject({ status: 'failed' });
    });
  });

  test('ends so also for the sender of an A2A message, as a task and in its stream', async () => {
    const agent = await pausingAgent();
    await behindFaults(async (queue) => {
      queue.plan = () => refusal('InternalFailure');
      const { view } = await finishInline(await startedTask(agent));
      expect(view).toMatchObject({ status: 'failed', error: 'The run could not be queued.' });
      const statuses: string[] = [];
      await finishInline(await startedTask(agent), ({ status }) => statuses.push(status));
      expect(statuses.at(-1)).toBe('failed');
    });
  });

  test('is paused if the queue takes its message at a later attempt', async () => {
    const agent = await pausingAgent();
    await behindFaults(async (queue) => {
      let failures = 2;
      queue.plan = () => (failures-- > 0 ? refusal('InternalFailure') : 'pass');
      expect((await trigger(agent)).body).toMatchObject({ status: 'pending', error: null });
      expect(failures).toBe(-1);
    });
  });
});

describe('a background start', () => {
  test('answers 503 without a run while KMS gives no data key, and works again afterwards', async () => {
    const agent = await liveAgent();
    const { handler } = await import('#functions/trigger/start.ts');
    const params = { workspace_id: agent.workspaceid, trigger_id: agent.flowid, environment: 'live' };
    const start = async () =>
      await invokeHere(
        handler,
        buildEvent('trigger/start', { key: agent.key, params, body: { message: 'Hello' } }),
      );
    let written = 0;
    dynamodb.plan = (operation) => {
      if (operation === 'PutItem') written += 1;
      return 'pass';
    };
    kms.plan = (operation) =>
      operation === 'GenerateDataKey' ? { __type: 'ThrottlingException', message: 'As planned.' } : 'pass';
    const { statusCode, headers, body } = await start();
    expect({ statusCode, code: problem.parse(body).code, written }).toEqual({
      statusCode: 503,
      code: 'dependency_unavailable',
      written: 0,
    });
    expect(headers['retry-after']).toMatch(/^\d+$/);
    kms.plan = () => 'pass';
    expect((await start()).statusCode).toBe(202);
    await idle();
  });
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

  test('answers 500 without a run for a build whose flow has an unknown stored version', async () => {
    const agent = await liveAgent();
    const row = await readRow(agent.a2aregistryid);
    if (!row) throw new Error('Expected the row of the agent.');
    await storeFlow(row, { ...flow(), version: 2 });
    const { statusCode, body } = await trigger(agent);
    expect(statusCode).toBe(500);
    expect(problem.parse(body).code).toBe('payload_unreadable');
  });

  test('ends a run before its function times out, however long the start took', async () => {
    const upstream = await startUpstream();
    const agent = await liveAgent({ flow: callingFlow(upstream, ['gate/late']) });
    const { body } = await trigger(agent, 15_500);
    expect(body).toMatchObject({ status: 'failed', error: expect.stringContaining('time limit of') });
    await upstream.abandoned('late');
    await upstream.close();
  });

  /** The last write of a run is that of its end: of a flow that only computes its one put, else an update after it. */
  const lastWrites = [
    ['only computes', () => computing(), 'PutItem'],
    ['has an effect', () => storing(), 'UpdateItem'],
  ] as const;
  const computing = () =>
    flow({ start: 'said', nodes: { said: { type: 'reply', text: 'Hello', next: 'done' }, done } });
  const storing = () =>
    flow({ start: 'kept', nodes: { kept: { type: 'store', get: 'key', next: 'done' }, done } });
  const done = { type: 'end', output: { said: 'Hello' } };
  /** The first updates are those of the key and of the permit, before the run is stored. */
  const findEnd = (last: 'PutItem' | 'UpdateItem') => {
    let isStored = last === 'PutItem';
    return (operation: string) => {
      const isEnd = isStored && operation === last;
      isStored ||= operation === 'PutItem';
      return isEnd;
    };
  };

  test.each(lastWrites)(
    'stores a run although its end conflicts with other writes: its flow %s',
    async (_, made, last) => {
      const agent = await liveAgent({ flow: made() });
      const isEnd = findEnd(last);
      let conflicts = 2;
      dynamodb.plan = (operation) => {
        if (!isEnd(operation) || conflicts === 0) return 'pass';
        conflicts -= 1;
        const __type = 'com.amazonaws.dynamodb.v20120810#TransactionConflictException';
        return { __type, message: 'Transaction is ongoing for the item' };
      };
      const result = runResult.parse((await trigger(agent)).body);
      expect(conflicts).toBe(0);
      expect(result.status).toBe('completed');
      expect((await readRun(result.workflow_id))?.status).toBe('completed');
    },
  );

  test.each([
    ['only computes', () => computing(), ['UpdateItem', 'PutItem']],
    ['has an effect', () => storing(), ['UpdateItem', 'PutItem', 'UpdateItem']],
  ])('stores a run once although responses to its writes are lost: its flow %s', async (_, made, writes) => {
    const agent = await liveAgent({ flow: made() });
    // Of the permit, the run and its end, in this order.
    const lose = [...writes];
    dynamodb.plan = (operation) => {
      if (operation !== lose[0]) return 'pass';
      lose.shift();
      return 'lost';
    };
    const result = runResult.parse((await trigger(agent)).body);
    expect(lose).toEqual([]);
    expect(result.status).toBe('completed');
    expect(await readRun(result.workflow_id)).toMatchObject({ status: 'completed', generation: 1 });
  });

  test.each(lastWrites)(
    'returns the result although its end cannot be stored: its flow %s',
    async (_, made, last) => {
      const agent = await liveAgent({ flow: made() });
      const __type = 'com.amazonaws.dynamodb.v20120810#InternalServerError';
      const isEnd = findEnd(last);
      dynamodb.plan = (operation) => (isEnd(operation) ? { __type, message: 'No.' } : 'pass');
      expect((await trigger(agent)).body).toMatchObject({ status: 'completed', response: { said: 'Hello' } });
    },
  );

  test('answers 503 without a run if the table throttles', async () => {
    const agent = await liveAgent({ flow: storing() });
    await trigger(agent);
    const __type = 'com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException';
    dynamodb.plan = (operation) => (operation === 'PutItem' ? { __type, message: 'Slow down.' } : 'pass');
    const { statusCode, headers, body } = await trigger(agent);
    expect(statusCode).toBe(503);
    expect(headers['retry-after']).toBeDefined();
    expect(problem.parse(body).code).toBe('dependency_unavailable');
  });
});
