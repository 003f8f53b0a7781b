// The errors of A2A that no request provokes by itself, over both bindings: for a row from before a capability existed,
// and for a task whose items are lost while it runs.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { type A2AErrorName, a2aErrors } from '#lib/a2a/errors.ts';
import { runsTable } from '#lib/dynamo/client.ts';
import { mustExist } from '#lib/dynamo/conditions.ts';
import { deleteItemIf, putItem } from '#lib/dynamo/items.ts';
import type { StoredRow } from '#lib/registry/row/stored-row.ts';
import { readRun } from '#lib/run/run-items.ts';
import { runKey } from '#lib/run/stored-run.ts';
import {
  agentUrls,
  httpRefusal,
  newMessage,
  post,
  readTaskId,
  refusal,
  requestHttpJson,
  rpc,
} from '#test/support/a2a.ts';
import { newCaller, type TestCaller, unique } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';
import { askingFlow, callingFlow, liveAgent, type TestAgent } from '#test/support/flows.ts';
import { rowWriter, storedRow } from '#test/support/stored-rows.ts';
import { startUpstream, type Upstream } from '#test/support/upstream.ts';

/** A row whose card was written before agents could send notifications. */
async function earlierRow(): Promise<TestCaller & StoredRow> {
  const caller = await newCaller();
  const row = storedRow({ orgid: caller.orgid, workspaceid: caller.workspaceid });
  const card = row.card.replace('"pushNotifications":true', '"pushNotifications":false');
  expect(card).not.toBe(row.card);
  await rowWriter().put({ ...row, card });
  return { ...row, ...caller };
}

const expectStatus = (error: object, name: A2AErrorName) => {
  const { httpStatus, status } = a2aErrors[name];
  expect(error).toMatchObject({ code: httpStatus, status, reason: name });
};

describe('an agent whose card declares no push notifications', () => {
  const name = 'PUSH_NOTIFICATION_NOT_SUPPORTED';
  const url = 'https://example.com/hook';
  const one = { taskId: 'any', id: 'mine' };
  const configs = '/tasks/any/pushNotificationConfigs';
  const message = newMessage('x');
  const withConfig = { message, configuration: { taskPushNotificationConfig: { url } } };

  test.each([
    ['CreateTaskPushNotificationConfig', { ...one, url }, 'POST', configs, { url }],
    ['GetTaskPushNotificationConfig', one, 'GET', `${configs}/mine`, undefined],
    ['ListTaskPushNotificationConfigs', { taskId: 'any' }, 'GET', configs, undefined],
    ['DeleteTaskPushNotificationConfig', one, 'DELETE', `${configs}/mine`, undefined],
    ['SendMessage', withConfig, 'POST', '/message:send', withConfig],
    ['SendStreamingMessage', withConfig, 'POST', '/message:stream', withConfig],
  ])('refuses %s', async (rpcMethod, params, method, path, body) => {
    const row = await earlierRow();
    const { agent } = agentUrls(row);
    const error = await refusal(agent, row.key, rpcMethod, params);
    expect(error).toMatchObject({ code: a2aErrors[name].code, data: [{ reason: name }] });
    expectStatus(await httpRefusal(agent, path, { method, key: row.key, body }), name);
  });

  test('accepts messages without a configuration', async () => {
    const row = await earlierRow();
    const error = await refusal(agentUrls(row).agent, row.key, 'GetTask', { id: crypto.randomUUID() });
    expect(error.code).toBe(a2aErrors.TASK_NOT_FOUND.code);
  });
});

const internal = a2aErrors['INTERNAL_ERROR' satisfies A2AErrorName];
const internalStatus = {
  error: {
    code: internal.httpStatus,
    status: internal.status,
    details: [{ reason: 'INTERNAL_ERROR', domain: 'agent-flow' }],
  },
};
const rpcError = z.object({ id: z.literal(7), error: z.looseObject({ code: z.number() }) });
const toRpcText = (method: string, params: object) =>
  JSON.stringify({ jsonrpc: '2.0', id: 7, method, params });

describe('a task whose item is lost while it runs', () => {
  let upstream: Upstream;
  beforeAll(async () => {
    upstream = await startUpstream();
  });
  afterAll(() => upstream.close());

  const listed = async ({ key, workspaceid }: TestAgent) =>
    (await call('listRuns', { key, query: { workspaceid } })).body.items;

  /** Sends, and removes the run before its flow continues. */
  async function loseRun(
    send: (url: string, key: string) => Promise<Response>,
  ): Promise<{ status: number; answer: unknown }> {
    const gate = unique('gate');
    const agent = await liveAgent({ flow: callingFlow(upstream, [`gate/${gate}`]) });
    const response = send(agentUrls(agent).live, agent.key);
    await upstream.arrived(gate);
    const [run] = await listed(agent);
    await deleteItemIf(runsTable, runKey(String(run?.workflow_id)), mustExist);
    upstream.open(gate);
    const { status } = await response;
    const text = await (await response).text();
    expect(text).not.toMatch(/stack|DynamoDB|ConditionalCheck|\.ts/);
    return { status, answer: JSON.parse(text) };
  }

  const body = { message: newMessage('x') };
  test('is an error of SendMessage in the form of each binding', async () => {
    const overRpc = await loseRun((url, key) => post(url, { text: toRpcText('SendMessage', body), key }));
    expect(overRpc.status).toBe(200);
    expect(rpcError.parse(overRpc.answer).error.code).toBe(internal.code);
    const overHttp = await loseRun((url, key) => requestHttpJson(url, '/message:send', { key, body }));
    expect(overHttp).toMatchObject({ status: internal.httpStatus, answer: internalStatus });
  });
});

/** A server-sent event, as JSON. */
const readEvent = (event: string): unknown => JSON.parse(event.replace(/^(event: \w+\n)?data: ?/, ''));

test('an event of a task that cannot be read ends its streams with an error in the form of each binding', async () => {
  const agent = await liveAgent({ flow: askingFlow() });
  const { live } = agentUrls(agent);
  const { result } = await rpc(live, agent.key, 'SendMessage', { message: newMessage('x') });
  const id = readTaskId(result);
  const overRpc = await post(live, { text: toRpcText('SubscribeToTask', { id }), key: agent.key });
  const overHttp = await requestHttpJson(live, `/tasks/${id}:subscribe`, { key: agent.key });
  const run = await readRun(id);
  await putItem(runsTable, { ...runKey(id, Number(run?.generation) + 1), status: 'nonsense' });
  const [ofRpc, ofHttp] = await Promise.all(
    [overRpc, overHttp].map(async (response) => (await response.text()).trim().split('\n\n').at(-1) ?? ''),
  );
  expect(rpcError.parse(readEvent(ofRpc ?? '')).error.code).toBe(internal.code);
  expect(readEvent(ofHttp ?? '')).toMatchObject(internalStatus);
});
