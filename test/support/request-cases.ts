// A request of each operation, with what has to be there before it: what tests ask that look at the AWS calls
// of every route.
import * as z from 'zod';
import type { RegistryRow } from '#lib/registry/row/row.ts';
import { createNotificationTarget } from '#lib/run/task-notification.ts';
import { agentConfigCases } from './agent-config-cases.ts';
import { automationCases, triggerParams } from './automation-costs.ts';
import { card, createBody, flow, newRow, ownWord, promoted } from './builders.ts';
import { type Case, invoke } from './call-cost.ts';
import { type TestCaller, unique } from './caller.ts';
import { cardCases } from './card-cases.ts';
import { call } from './client.ts';
import { flowCases } from './flow-cases.ts';
import { askingFlow, eventFlow, liveAgent } from './flows.ts';
import { hookCases } from './hook-cases.ts';
import { keptRunCases } from './kept-run-cases.ts';
import { callTool, mcpRequest } from './mcp-request.ts';
import { memberCases } from './member-cases.ts';
import { messageWithReceiver } from './message-cases.ts';
import { oauthCases } from './oauth-cases.ts';
import { sessionCases } from './session-cases.ts';
import { sixteenKilobytes } from './sixteen-kilobytes.ts';
import { usageCases } from './usage-cases.ts';

export const rowParams = (row: { a2aregistryid: string }) => ({
  params: { a2aregistryid: row.a2aregistryid },
});
const newFlow = async (caller: TestCaller, builds: number, agentCard = card()) => {
  const body = { flowid: unique('flow'), visibility: 'public', agent_card: agentCard };
  const rows: RegistryRow[] = [];
  for (let n = 0; n < builds; n += 1) rows.push(await newRow(caller, body));
  return rows;
};
const taggedCard = card({ skills: card().skills.map((skill) => ({ ...skill, tags: ['echo'] })) });
const liveFlow = async (caller: TestCaller): Promise<RegistryRow> =>
  await promoted(caller, await newRow(caller, { visibility: 'public' }));
const triggerRequest = async (caller: TestCaller) => {
  const row = await liveFlow(caller);
  return { params: triggerParams(caller, row.flowid), body: { message: 'hello' } };
};
/** The parameters of a run that waits for an answer, started in this process, whose clocks the count controls. */
const askingRun = async (caller: TestCaller) => {
  const { flowid, workspaceid: workspace_id } = await liveAgent({ flow: askingFlow() }, caller);
  const started = await invoke('triggerFlow', caller, {
    params: triggerParams(caller, flowid),
    body: { message: 'hello' },
  });
  return { workspace_id, workflow_id: z.object({ workflow_id: z.string() }).parse(started).workflow_id };
};
const newKeyBody = { label: 'One', scopes: ['audit:read'], workspaces: '*' };
const keyedCreate = async (caller: TestCaller) => ({
  ...inWorkspace(caller),
  body: createBody(),
  headers: { 'Idempotency-Key': unique('key') },
});
const credential = { token: 'hunter2' };
const body = { type: 'http_bearer', hosts: ['api.crm.example'], credential };
const crmRequest = ({ workspaceid }: TestCaller) => ({
  params: { name: 'crm' },
  query: { workspaceid },
  body,
});
const inWorkspace = ({ workspaceid }: TestCaller) => ({ query: { workspaceid } });

/** By the name that docs/aws-calls.md has for it. */
export const requestCases: Readonly<Record<string, Case>> = {
  ...hookCases,
  ...sessionCases,
  ...oauthCases,
  'registry: create': {
    operation: 'createRegistryRow',
    prepare: async (caller) => ({ ...inWorkspace(caller), body: createBody() }),
  },
  'registry: create with a flow of 16 KB': {
    operation: 'createRegistryRow',
    prepare: async (caller) => ({ ...inWorkspace(caller), body: createBody({ flow: sixteenKilobytes }) }),
  },
  'registry: create with an Idempotency-Key': { operation: 'createRegistryRow', prepare: keyedCreate },
  'registry: create again with the same Idempotency-Key': {
    operation: 'createRegistryRow',
    prepare: keyedCreate,
    isRepeated: true,
  },
  'registry: get': {
    operation: 'getRegistryRow',
    prepare: async (caller) => ({ ...rowParams(await newRow(caller)), query: {} }),
  },
  'registry: get with `flow=true`': {
    operation: 'getRegistryRow',
    prepare: async (caller) => ({ ...rowParams(await newRow(caller)), query: { flow: 'true' } }),
  },
  'registry: list, one page': {
    operation: 'listRegistryRows',
    prepare: async (caller) => {
      await newFlow(caller, 3);
      return inWorkspace(caller);
    },
  },
  'registry: list, one page, by tag': {
    operation: 'listRegistryRows',
    prepare: async (caller) => {
      await newFlow(caller, 3, taggedCard);
      return { query: { workspaceid: caller.workspaceid, tag: 'echo' } };
    },
  },
  'registry: search': {
    operation: 'searchRegistry',
    prepare: async (caller) => {
      return { query: { q: ownWord(await liveFlow(caller)) } };
    },
    isRepeated: true,
    hasVaryingUnits: true,
  },
  'registry: update without a flow': {
    operation: 'updateRegistryRow',
    prepare: async (caller) => ({ ...rowParams(await newRow(caller)), body: { agent_card: card() } }),
  },
  'registry: update with another card': {
    operation: 'updateRegistryRow',
    prepare: async (caller) => ({
      ...rowParams(await newRow(caller)),
      body: { agent_card: card({ description: 'Talks.' }) },
    }),
  },
  'registry: update with a flow': {
    operation: 'updateRegistryRow',
    prepare: async (caller) => ({
      ...rowParams(await newRow(caller)),
      body: { agent_card: card(), flow: flow() },
    }),
  },
  'registry: promote the first build': {
    operation: 'promoteRegistryRow',
    prepare: async (caller) => rowParams(await newRow(caller)),
  },
  'registry: promote the build after the live one': {
    operation: 'promoteRegistryRow',
    prepare: async (caller) => {
      const live = await liveFlow(caller);
      return rowParams(await newRow(caller, { flowid: live.flowid }));
    },
  },
  'registry: promote a build with the words of the live one': {
    operation: 'promoteRegistryRow',
    prepare: async (caller) => {
      const { flowid, visibility } = await liveFlow(caller);
      return rowParams(await newRow(caller, { flowid, visibility }));
    },
  },
  'registry: promote a build that knew another live one': {
    operation: 'promoteRegistryRow',
    prepare: async (caller) => {
      const [first, second] = await newFlow(caller, 2);
      if (!first || !second) throw new Error('There are two builds.');
      await promoted(caller, first);
      return rowParams(second);
    },
  },
  'registry: promote the live build again': {
    operation: 'promoteRegistryRow',
    prepare: async (caller) => rowParams(await liveFlow(caller)),
  },
  'registry: promote over an updated live build': {
    operation: 'promoteRegistryRow',
    prepare: async (caller) => {
      const { a2aregistryid, flowid } = await liveFlow(caller);
      const next = await newRow(caller, { flowid });
      const change = { params: { a2aregistryid }, body: { agent_card: card() } };
      await call('updateRegistryRow', { key: caller.key, ...change });
      return rowParams(next);
    },
  },
  'registry: roll back': {
    operation: 'rollBackRegistryRow',
    prepare: async (caller) => {
      const { flowid } = await liveFlow(caller);
      return rowParams(await promoted(caller, await newRow(caller, { flowid })));
    },
  },
  'registry: history, one page': {
    operation: 'getRegistryRowHistory',
    prepare: async (caller) => rowParams(await newRow(caller)),
  },
  'registry: diff against the live build': {
    operation: 'diffRegistryRow',
    prepare: async (caller) => {
      const { flowid } = await liveFlow(caller);
      return rowParams(await newRow(caller, { flowid }));
    },
  },
  'registry: delete': {
    operation: 'deleteRegistryRow',
    prepare: async (caller) => rowParams(await liveFlow(caller)),
  },
  'trigger: run a flow of one node': { operation: 'triggerFlow', prepare: triggerRequest, isRepeated: true },
  'trigger: accept a webhook': {
    operation: 'acceptWebhook',
    prepare: async (caller) => ({
      params: { flow_id: (await liveFlow(caller)).flowid },
      body: { event: 'ping' },
    }),
    isRepeated: true,
  },
  'trigger: status of a run': {
    operation: 'getRun',
    prepare: async (caller) => ({ params: await askingRun(caller) }),
  },
  'trigger: start a run in the background': {
    operation: 'startRun',
    prepare: triggerRequest,
    isRepeated: true,
  },
  'trigger: start a run in the background with a callback': {
    operation: 'startRun',
    prepare: async (caller) => {
      const { body, ...others } = await triggerRequest(caller);
      return { ...others, body: { ...body, callback_url: 'https://receiver.example/hook' } };
    },
    isRepeated: true,
  },
  'trigger: cancel a run': {
    operation: 'cancelRun',
    prepare: async (caller) => ({ params: await askingRun(caller) }),
  },
  'trigger: answer a run': {
    operation: 'resumeRun',
    prepare: async (caller) => {
      const body = { answer: 'yes' };
      // The process has a data key of the workspace then.
      await invoke('resumeRun', caller, { params: await askingRun(caller), body });
      return { params: await askingRun(caller), body };
    },
  },
  'runs: send an event for which one run waits': {
    operation: 'sendRunEvent',
    prepare: async (caller) => {
      const waiting = await liveAgent({ flow: eventFlow }, caller);
      await invoke('triggerFlow', caller, {
        params: triggerParams(caller, waiting.flowid),
        body: { message: 'order 7' },
      });
      return { ...inWorkspace(caller), body: { event: 'payment.completed', key: 'order 7', id: 'evt_1' } };
    },
  },
  'runs: list, one page': { operation: 'listRuns', prepare: async (caller) => inWorkspace(caller) },
  'runs: count': { operation: 'summarizeRuns', prepare: async (caller) => inWorkspace(caller) },
  'runs: get': {
    operation: 'getRunDetail',
    prepare: async (caller) => ({ params: { workflow_id: (await askingRun(caller)).workflow_id } }),
  },
  'runs: read the input': {
    operation: 'getRunInput',
    prepare: async (caller) => ({ params: { workflow_id: (await askingRun(caller)).workflow_id } }),
  },
  ...keptRunCases,
  ...automationCases,
  ...flowCases,
  ...agentConfigCases,
  ...cardCases,
  'a2a: SendMessage to a flow of one node': {
    operation: 'callLiveAgent',
    prepare: async (caller) => ({ params: { flowId: (await liveFlow(caller)).flowid } }),
    isRepeated: true,
  },
  'a2a: SendMessage in a conversation': {
    operation: 'callLiveAgent',
    prepare: async (caller) => {
      const message = { messageId: 'm', role: 'ROLE_USER', contextId: 'talk', parts: [{ text: 'hello' }] };
      const body = { jsonrpc: '2.0', id: 1, method: 'SendMessage', params: { message } };
      return { params: { flowId: (await liveFlow(caller)).flowid }, body };
    },
    isRepeated: true,
  },
  'a2a: SendMessage with a push notification configuration': {
    operation: 'callLiveAgent',
    prepare: async (caller) => {
      const params = messageWithReceiver('https://receiver.example/hook');
      const body = { jsonrpc: '2.0', id: 1, method: 'SendMessage', params };
      return { params: { flowId: (await liveFlow(caller)).flowid }, body };
    },
    isRepeated: true,
  },
  'a2a: ListTasks, one page': {
    operation: 'callLiveAgent',
    prepare: async (caller) => {
      const params = { flowId: (await liveFlow(caller)).flowid };
      await invoke('callLiveAgent', caller, { params });
      return { params, body: { jsonrpc: '2.0', id: 1, method: 'ListTasks', params: {} } };
    },
  },
  'connector: list the tools': { operation: 'callConnector', prepare: async () => mcpRequest('tools/list') },
  'connector: find an agent': {
    operation: 'callConnector',
    prepare: async (caller) => {
      return callTool('discover_agents', { query: ownWord(await liveFlow(caller)) });
    },
    isRepeated: true,
    hasVaryingUnits: true,
  },
  'connector: call an agent, without waiting': {
    operation: 'callConnector',
    prepare: async (caller) => {
      const { a2aregistryid } = await liveFlow(caller);
      return callTool('call_agent', { registry_id: a2aregistryid, message: 'hello', wait_seconds: 0 });
    },
    isRepeated: true,
  },
  'a2a: notification of a task that a run waits for': {
    operation: 'receiveNotification',
    prepare: async (caller) => {
      const { workflow_id: runId } = await askingRun(caller);
      const task = { agent: 'https://agents.example/a', task_id: 't' };
      const { id, token } = await createNotificationTarget(runId, task);
      return {
        params: { runId, notificationId: id },
        headers: { 'X-A2A-Notification-Token': token.reveal() },
      };
    },
  },
  'connections: store one': { operation: 'putConnection', prepare: async (caller) => crmRequest(caller) },
  'connections: list those of a workspace': {
    operation: 'listConnections',
    prepare: async ({ workspaceid }) => ({ query: { workspaceid } }),
  },
  'connections: try one': {
    operation: 'tryConnection',
    prepare: async (caller) => {
      await invoke('putConnection', caller, crmRequest(caller));
      return { ...crmRequest(caller), body: { url: 'http://api.crm.example/' } };
    },
  },
  'connections: delete one': {
    operation: 'deleteConnection',
    prepare: async (caller) => {
      await invoke('putConnection', caller, crmRequest(caller));
      return { ...crmRequest(caller), body: undefined };
    },
  },
  'access: create an API key': { operation: 'createApiKey', prepare: async () => ({ body: newKeyBody }) },
  'access: list API keys': { operation: 'listApiKeys', prepare: async () => ({ query: {} }) },
  'access: revoke an API key': {
    operation: 'revokeApiKey',
    prepare: async (caller) => {
      const { keyid } = (await call('createApiKey', { key: caller.key, body: newKeyBody })).body;
      return { params: { keyid } };
    },
  },
  'access: audit trail of one day': {
    operation: 'listAudit',
    prepare: async ({ workspaceid }) => {
      const day = new Date().toISOString().slice(0, 10);
      return { query: { workspaceid, from: `${day}T00:00:00Z`, to: `${day}T23:59:59Z` } };
    },
  },
  ...usageCases,
  ...memberCases,
  'discovery: catalog, unchanged': {
    operation: 'getAiCatalog',
    prepare: async () => ({}),
    isRepeated: true,
    // It reads what has changed in the last minute among the public agents of the tenant.
    hasVaryingUnits: true,
  },
  'access: jwks': { operation: 'getJwks', prepare: async () => ({}), isRepeated: true },
  'access: protected-resource': {
    operation: 'getProtectedResource',
    prepare: async () => ({}),
    isRepeated: true,
  },
};
