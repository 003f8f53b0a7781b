// What a run has to keep, against what one item of the table takes (400 KB): it ends in words, and is neither
// left hanging nor tried again.
import { zstdDecompressSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { limits } from '#lib/flow/format/limits.ts';
import { type AwsProxy, startAwsProxy, type Verdict } from '#test/support/aws-proxy.ts';
import { flow } from '#test/support/builders.ts';
import { unique } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';
import { idle } from '#test/support/control.ts';
import { liveAgent, type TestAgent } from '#test/support/flows.ts';
import { buildEvent, invokeHere, load } from '#test/support/invocation.ts';
import { runState } from '#test/support/run-calls.ts';
import { runWrites, takeDeadLetter, webhookMessage } from '#test/support/runs.ts';
import { testedService } from '#test/support/tested-service.ts';
import { work } from '#test/support/worker.ts';

const pathTo = ({ workspaceid, flowid }: TestAgent) => ({
  workspace_id: workspaceid,
  trigger_id: flowid,
  environment: 'live',
});
const triggered = async (agent: TestAgent) =>
  (await call('triggerFlow', { key: agent.key, params: pathTo(agent), body: { message: '' } })).body;
const sent = async (agent: TestAgent, flow_id: string, data: object = {}) => {
  const body = { event: 'test', data };
  const { triggerId } = (await call('acceptWebhook', { key: agent.key, params: { flow_id }, body })).body;
  await idle();
  return triggerId;
};

/** As many questions at once as there may be, each of so many characters. */
const asking = (characters: number) => {
  const prompt = `{{ $pad("Publish " & item & "?", ${characters}, ".") }}`;
  const body = { start: 'sure', nodes: { sure: { type: 'ask', prompt } } };
  const most = { items: `{{ [1..${limits.concurrencyMax}] }}`, max_concurrency: limits.concurrencyMax };
  return flow({
    start: 'each',
    nodes: {
      each: { type: 'map', ...most, body, next: 'done' },
      done: { type: 'end', output: { count: '{{ $count(nodes.each) }}' } },
    },
  });
};

describe('open questions', () => {
  test('above the largest number fail the run, in the answer to a waiting caller and in its record', async () => {
    const agent = await liveAgent({ flow: asking(10_000) });
    const result = await triggered(agent);
    expect(result).toMatchObject({
      status: 'failed',
      requires_input: false,
      error: expect.stringContaining('limit.questions'),
    });
    const { status, error } = await runState(agent, result.workflow_id);
    expect({ status, error }).toEqual({ status: 'failed', error: result.error });
  });

  test('above the largest number fail the run of an event, which is not delivered again', async () => {
    const agent = await liveAgent({ flow: asking(10_000) });
    const id = await sent(agent, agent.flowid);
    expect(await runState(agent, id)).toMatchObject({
      status: 'failed',
      error: expect.stringContaining('each: The open questions of the run passed their limit'),
    });
    expect(await takeDeadLetter(id)).toBeUndefined();
  });

  test('that are many and large are all returned', async () => {
    const agent = await liveAgent({ flow: asking(5_000) });
    const result = await triggered(agent);
    expect(result.status).toBe('input_required');
    expect((await runState(agent, result.workflow_id)).input_requests).toHaveLength(limits.concurrencyMax);
  });
});

describe('the message of a failed run', () => {
  test.each([
    ['of a `fail`', { type: 'fail', message: '{{ $pad("", 250000, "漢") }}' }],
    ['of an expression', { type: 'transform', output: '{{ $error($pad("", 120000, "😀")) }}' }],
  ])('%s is truncated between characters, and is stored as it is returned', async (_, broken) => {
    const agent = await liveAgent({ flow: flow({ start: 'broken', nodes: { broken } }) });
    const { workflow_id, error } = await triggered(agent);
    expect(error).toMatch(/^broken: .*….* \((fail|expression\.error)\)$/u);
    expect(error?.isWellFormed()).toBe(true);
    expect(error).not.toContain('\uFFFD');
    expect(Buffer.byteLength(error ?? '')).toBeLessThan(limits.errorBytes + 100);
    expect(await runState(agent, workflow_id)).toMatchObject({ status: 'failed', error });
  });
});

describe('a write that DynamoDB rejects permanently', () => {
  let table: AwsProxy;
  let judge: (operation: string, body: string) => Verdict;
  beforeAll(async () => {
    const { AWS_ENDPOINT_URL_DYNAMODB = '' } = testedService().environment;
    table = await startAwsProxy(AWS_ENDPOINT_URL_DYNAMODB, (operation, body) =>
      judge(operation, body.toString()),
    );
    process.env.AWS_ENDPOINT_URL_DYNAMODB = table.url;
  });
  beforeEach(() => {
    judge = () => 'pass';
  });
  afterAll(() => table.close());

  const said = unique('said');
  /** As DynamoDB answers a transaction with an item that is too large, and one that is too large itself. */
  const refusals = [
    {
      __type: 'com.amazonaws.dynamodb.v20120810#TransactionCanceledException',
      Message: 'Transaction cancelled',
      CancellationReasons: [
        { Code: 'None' },
        { Code: 'ValidationError', Message: 'Item size has exceeded the maximum allowed size' },
      ],
    },
    { __type: 'com.amazon.coral.validate#ValidationException', message: 'Too large.' },
  ];
  const say = { type: 'reply', text: said, next: 'done' };
  const replying = () =>
    flow({ start: 'say', nodes: { say, done: { type: 'end', output: { answer: 'Done.' } } } });
  const replyingAndAsking = () =>
    flow({ start: 'say', nodes: { say, done: { type: 'ask', prompt: 'Sure?' } } });
  /** The end of a run is one write of its header, if it fits into it; any other event is a transaction. */
  const writesEvent = (operation: string, body: string) =>
    operation === 'TransactWriteItems' || readEnd(operation, body) !== undefined;
  const readEnd = (operation: string, body: string): string | undefined => {
    const end = ['UpdateItem', 'PutItem'].includes(operation) && /":?end":\{"B":"([^"]+)"/.exec(body)?.[1];
    return end ? zstdDecompressSync(Buffer.from(end, 'base64')).toString() : undefined;
  };
  const hasSaid = (operation: string, body: string) =>
    writesEvent(operation, body) && (readEnd(operation, body) ?? body).includes(said);
  const triggerHere = async (agent: TestAgent) => {
    const { buffered } = await load(() => import('#functions/trigger/run.ts'));
    const event = { key: agent.key, params: pathTo(agent), body: { message: '' } };
    return (await invokeHere(buffered, buildEvent('trigger/run', event))).body;
  };

  test.each(refusals)('ends the run of an event as failed, and its message is deleted: %#', async (error) => {
    const agent = await liveAgent({ flow: replying() });
    const message = webhookMessage(agent);
    judge = (operation, body) => (hasSaid(operation, body) ? { status: 400, error } : 'pass');
    expect(await work([JSON.stringify(message)])).toEqual({ batchItemFailures: [] });
    expect(await runState(agent, message.triggerId)).toMatchObject({
      status: 'failed',
      response: {},
      error: expect.stringContaining('too large'),
    });
    expect(JSON.stringify(await runWrites(message.triggerId))).not.toContain(said);
  });

  test.each([
    { flow: replyingAndAsking, error: refusals[0] ?? {} },
    { flow: replying, error: refusals[1] ?? {} },
  ])('ends a synchronous run as failed, in the answer and the record: %#', async ({ flow, error }) => {
    const agent = await liveAgent({ flow: flow() });
    judge = (operation, body) => (hasSaid(operation, body) ? { status: 400, error } : 'pass');
    const result = await triggerHere(agent);
    expect(result).toMatchObject({ status: 'failed', error: expect.stringContaining('too large') });
    const { status, error: recorded } = await runState(agent, String(result.workflow_id));
    expect({ status, error: recorded }).toEqual({ status: 'failed', error: result.error });
  });

  test.each([
    ['not even the failure can be written', { status: 400, error: refusals[1] ?? {} }],
    ['the table does not answer', { status: 500, error: { __type: 'InternalServerError', message: 'No.' } }],
  ])('still returns a failed result for a run that asks when %s', async (_, verdict) => {
    const agent = await liveAgent({ flow: asking(10) });
    judge = (operation, body) => (writesEvent(operation, body) ? verdict : 'pass');
    expect(await triggerHere(agent)).toMatchObject({
      status: 'failed',
      response: {},
      error: expect.stringContaining('interrupted'),
    });
  });

  test('a run that was stored before an end that is too large for its header stays in the lists', async () => {
    const noise = '{{ $join($map([1..9000], function($n) { $string($random()) })) }}';
    const done = { type: 'end', output: { noise } };
    const agent = await liveAgent({ flow: flow({ start: 'done', nodes: { done } }) });
    judge = (operation) =>
      operation === 'TransactWriteItems' ? { status: 500, error: { __type: 'InternalServerError' } } : 'pass';
    const { workflow_id } = await triggerHere(agent);
    const { body } = await call('listRuns', { key: agent.key, query: { workspaceid: agent.workspaceid } });
    expect(body.items).toMatchObject([{ workflow_id, status: 'pending' }]);
  });
});
