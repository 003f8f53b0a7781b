// The requests about webhooks, dead letters, memory and callbacks whose AWS calls docs/aws-calls.md counts.
import { randomBytes } from 'node:crypto';
import * as z from 'zod';
import { writeMemoryId } from '#lib/memory/memory-entry.ts';
import { newRow, promoted } from './builders.ts';
import { type Case, invoke } from './call-cost.ts';
import { startWithCallback } from './callbacks.ts';
import { type TestCaller, unique } from './caller.ts';
import { idle } from './control.ts';
import { liveAgent } from './flows.ts';
import { lists } from './lists.ts';
import { deliver, webhookMessage } from './runs.ts';
import { signed } from './signing.ts';
import { storeValue } from './stored-value.ts';
import { byGithub, declareWebhook, secretOfTests } from './webhook-senders.ts';

const inWorkspace = ({ workspaceid }: TestCaller) => ({ query: { workspaceid } });
const newSecret = (caller: TestCaller, flowid = unique('flow')) => ({
  params: { flow_id: flowid },
  ...inWorkspace(caller),
});
const withSecret = async (caller: TestCaller) => {
  const place = newSecret(caller);
  await invoke('setWebhookSecret', caller, { ...place, body: {} });
  return place;
};
/**
 * An event for a flow that does not exist. Its letter takes two write units, whatever its ids compress to.
 */
const newLetter = async (caller: TestCaller) => {
  const event = { event: 'order.paid', note: randomBytes(300).toString('base64') };
  const message = webhookMessage({ ...caller, flowid: unique('flow'), a2aregistryid: '' }, { event });
  await deliver(JSON.stringify(message));
  await idle();
  return message.triggerId;
};
/** One letter passes the filter. */
const oldLetter = async (caller: TestCaller) => {
  await newLetter(caller);
  return { ...inWorkspace(caller), body: { before: '2100-01-01T00:00:00Z' } };
};

export const hookCases: Readonly<Record<string, Case>> = {
  'trigger: accept a signed webhook': {
    operation: 'acceptWebhook',
    prepare: async (caller) => {
      const { flowid } = await promoted(caller, await newRow(caller));
      const { secret = '' } = z
        .object({ secret: z.string() })
        .parse(await invoke('setWebhookSecret', caller, { ...newSecret(caller, flowid), body: {} }));
      const body = { event: 'ping' };
      const headers = signed({ secret, body: JSON.stringify(body), id: unique('event') });
      return { params: { flow_id: flowid }, body, headers };
    },
    isRepeated: true,
  },
  'trigger: receive an event of a source': {
    operation: 'receiveWebhook',
    prepare: async (caller) => {
      const row = await promoted(caller, await newRow(caller));
      const { webhookId } = await declareWebhook({ ...caller, ...row }, { type: 'github' });
      const body = { ref: 'refs/heads/main' };
      return { params: { webhookId }, body, headers: byGithub(secretOfTests, body).headers };
    },
    isRepeated: true,
  },
  'trigger: accept a webhook with an Idempotency-Key': {
    operation: 'acceptWebhook',
    prepare: async (caller) => {
      const { flowid } = await promoted(caller, await newRow(caller));
      const headers = { 'Idempotency-Key': unique('event') };
      return { params: { flow_id: flowid }, body: { event: 'ping' }, headers };
    },
    isRepeated: true,
  },
  'trigger: dead letters, one page': {
    operation: 'listDeadLetters',
    prepare: async (caller) => {
      await newLetter(caller);
      return inWorkspace(caller);
    },
    isRepeated: true,
  },
  'trigger: redrive a dead letter': {
    operation: 'redriveDeadLetter',
    prepare: async (caller) => ({ params: { id: await newLetter(caller) }, ...inWorkspace(caller) }),
  },
  'trigger: dismiss a dead letter': {
    operation: 'dismissDeadLetter',
    prepare: async (caller) => ({ params: { id: await newLetter(caller) }, ...inWorkspace(caller) }),
  },
  'trigger: redrive dead letters by a filter': {
    operation: 'redriveDeadLetters',
    prepare: async (caller) => oldLetter(caller),
  },
  'trigger: dismiss dead letters by a filter': {
    operation: 'dismissDeadLetters',
    prepare: async (caller) => oldLetter(caller),
  },
  'memory: list, one page': { operation: 'listMemory', prepare: lists.listMemory },
  'memory: delete': {
    operation: 'deleteMemory',
    prepare: async (caller) => {
      const flowid = unique('flow');
      const key = { space: 'value', key: 'visits/42' } as const;
      await storeValue({ ...caller, flowid, environment: 'live' }, key.key);
      const params = { flow_id: flowid, environment: 'live', memory_id: writeMemoryId(key) };
      return { params, ...inWorkspace(caller) };
    },
  },
  'trigger: deliveries of a callback': {
    operation: 'listDeliveries',
    prepare: async (caller) => {
      const agent = await liveAgent({}, caller);
      const { run_id } = await startWithCallback(agent, 'https://receiver.example/hook');
      return { params: { workflow_id: run_id }, ...inWorkspace(caller) };
    },
  },
  'access: set a first webhook secret': {
    operation: 'setWebhookSecret',
    prepare: async (caller) => ({ ...newSecret(caller), body: {} }),
  },
  'access: set another webhook secret': {
    operation: 'setWebhookSecret',
    prepare: async (caller) => ({ ...newSecret(caller), body: {} }),
    isRepeated: true,
  },
  'access: get a webhook secret': {
    operation: 'getWebhookSecret',
    prepare: async (caller) => withSecret(caller),
  },
  'access: delete a webhook secret': {
    operation: 'deleteWebhookSecret',
    prepare: async (caller) => withSecret(caller),
  },
};
