// What callers see when others change the same trigger or environment all the time: a proxy answers in
// DynamoDB's place. The handlers run in this process, so that no other test is disturbed.
import { describe, expect, test } from 'vitest';
import * as forget from '#functions/environment/delete.ts';
import * as set from '#functions/environment/set.ts';
import * as create from '#functions/trigger/create.ts';
import * as remove from '#functions/trigger/delete.ts';
import * as update from '#functions/trigger/update.ts';
import { unique } from '#test/support/caller.ts';
import { liveAgent } from '#test/support/flows.ts';
import { conflict, invokeHere, judgeDynamoDb } from '#test/support/judged-calls.ts';
import { declare, newTrigger, setting, triggerBody } from '#test/support/triggers.ts';

const handlers = {
  createTrigger: create.handler,
  updateTrigger: update.handler,
  deleteTrigger: remove.handler,
  setEnvironment: set.handler,
  deleteEnvironment: forget.handler,
};

const judge = judgeDynamoDb();
const invoke = invokeHere(handlers);

/** A trigger and an environment, and a request for each operation on them. */
async function requests() {
  const agent = await liveAgent();
  const { key, workspaceid, flowid } = agent;
  const { trigger_id } = await newTrigger(agent);
  await setting(agent, 'uat', {});
  const query = { workspaceid };
  const [ofTrigger, ofEnvironment] = [{ trigger_id }, { environment: 'uat' }];
  return {
    createTrigger: { key, query, body: triggerBody({ flowid }) },
    updateTrigger: { key, params: ofTrigger, body: { flowid } },
    deleteTrigger: { key, params: ofTrigger },
    setEnvironment: { key, params: ofEnvironment, query, body: { pins: {}, env: {} } },
    deleteEnvironment: { key, params: ofEnvironment, query },
  };
}

const operations = [
  'createTrigger',
  'updateTrigger',
  'deleteTrigger',
  'setEnvironment',
  'deleteEnvironment',
] as const;

describe('409', () => {
  test.each(operations)('%s gives up after some attempts and may be sent again', async (operation) => {
    const request = (await requests())[operation];
    judge((name) => (name === 'TransactWriteItems' ? conflict : 'pass'));
    const { code, headers } = await invoke(operation, request);
    expect(code).toBe('version_conflict');
    expect(headers['retry-after']).toBe('1');
  });
});

describe('a change that conflicts with another', () => {
  test.each(operations)('%s is retried, and takes effect once', async (operation) => {
    const request = (await requests())[operation];
    let met = 0;
    judge((name) => (name === 'TransactWriteItems' && ++met <= 2 ? conflict : 'pass'));
    expect((await invoke(operation, request)).code).toBeUndefined();
    expect(met).toBe(3);
  });

  test.each(operations)('%s takes effect once if the response of DynamoDB is lost', async (operation) => {
    const request = (await requests())[operation];
    let met = 0;
    judge((name) => (name === 'TransactWriteItems' && ++met === 1 ? 'lose answer' : 'pass'));
    expect((await invoke(operation, request)).code).toBeUndefined();
  });
});

test('an Idempotency-Key can be used again after a failure, and its request takes effect once', async () => {
  const agent = await liveAgent();
  const headers = { 'idempotency-key': unique('idem') };
  const body = triggerBody(agent);
  judge((name) => (name === 'TransactWriteItems' ? conflict : 'pass'));
  const options = { key: agent.key, query: { workspaceid: agent.workspaceid }, body };
  const refused = await invoke('createTrigger', {
    ...options,
    headers: { 'Idempotency-Key': headers['idempotency-key'] },
  });
  expect(refused.code).toBe('version_conflict');
  judge(() => 'pass');
  const first = await declare(agent, body, headers);
  expect(first.status).toBe(201);
  expect((await declare(agent, body, headers)).text).toBe(first.text);
});
