// An organisation that has something of every kind, made through the API, for tests that look at all that tables hold.
import type { Member } from '#lib/access/member-items.ts';
import { flow, newRow, promoted } from './builders.ts';
import { newCaller, type TestCaller, unique } from './caller.ts';
import { call } from './client.ts';
import { bearer, putConnection } from './connections.ts';
import { askingFlow, liveAgent, type TestAgent } from './flows.ts';
import { storeBy } from './memory.ts';
import { invite, joinOrganization } from './person.ts';
import { startedRun } from './run-calls.ts';
import { newTrigger, setting, yearly } from './triggers.ts';
import { declareWebhook } from './webhook-senders.ts';

export interface PopulatedOrganisation {
  readonly caller: TestCaller;
  /** Its second build is live, its third one was deleted. */
  readonly agent: TestAgent;
  readonly asking: TestAgent;
  readonly member: Member;
  /** A run that has ended. */
  readonly endedRun: string;
  /** A run in the background that waits for an answer. */
  readonly pausedRun: string;
  readonly schedule: string;
  readonly webhook: { readonly trigger_id: string; readonly webhookId: string };
}

const storingFlow = flow({
  start: 'store',
  nodes: {
    store: { type: 'store', put: '{{ input.message }}', value: 'canary-of-memory', next: 'done' },
    done: { type: 'end', output: { said: '{{ input.message }}' } },
  },
});

/** `secret` is a text that stands in all that callers send and that is encrypted. */
export async function populate(secret: string): Promise<PopulatedOrganisation> {
  const caller = await newCaller();
  const { key, workspaceid } = caller;
  const agent = await newVersions(caller);
  // Which has it signed.
  await call('getLiveCard', { key: caller.key, params: { flowId: agent.flowid } });
  const asking = await liveAgent({ flow: askingFlow() }, caller);
  await call('createWorkspace', { key, body: { name: 'Finance' } });
  await call('createApiKey', {
    key,
    body: { label: 'CI', scopes: ['assistants.flows:read'], workspaces: '*' },
  });
  await putConnection(caller, 'crm', bearer(secret));
  await putConnection(caller, 'own', bearer(secret, { scope: 'user' }));
  const { trigger_id: schedule } = await newTrigger(agent, {
    kind: 'schedule',
    schedule: yearly,
    message: secret,
  });
  const { trigger_id, webhookId } = await declareWebhook(agent, { type: 'github' });
  await call('setWebhookSecret', {
    key,
    params: { flow_id: agent.flowid },
    query: { workspaceid },
    body: {},
  });
  await call('setCallbackSecret', { key, query: { workspaceid }, body: {} });
  await setting(agent, 'test', { pins: { [agent.flowid]: agent.a2aregistryid }, env: { REGION: 'eu' } });
  const member = await joinOrganization(caller.orgid, { role: 'owner' });
  await invite({ orgid: caller.orgid });
  const endedRun = await runOnce(agent, secret);
  await storeBy(agent, unique('value'));
  const pausedRun = await startedRun(asking, secret);
  return {
    caller,
    agent,
    asking,
    member,
    endedRun,
    pausedRun,
    schedule,
    webhook: { trigger_id, webhookId },
  };
}

async function newVersions(caller: TestCaller): Promise<TestAgent> {
  const flowid = unique('flow');
  const some = { flowid, flow: storingFlow, visibility: 'public' };
  const first = await newRow(caller, some);
  await promoted(caller, first);
  const second = await newRow(caller, some);
  await promoted(caller, second);
  const { a2aregistryid } = await newRow(caller, some);
  await call('deleteRegistryRow', { key: caller.key, params: { a2aregistryid } });
  return { ...caller, flowid, a2aregistryid: second.a2aregistryid };
}

async function runOnce({ key, workspaceid, flowid }: TestAgent, message: string): Promise<string> {
  const params = { workspace_id: workspaceid, trigger_id: flowid, environment: 'live' };
  return (await call('triggerFlow', { key, params, body: { message } })).body.workflow_id;
}
