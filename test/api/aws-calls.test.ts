// What a warm request costs in AWS calls and units, counted by proxies in front of the engines and compared with docs/aws-calls.md and
// docs/costs.md. The handlers run in this process, as they run in Lambda, with the events of `events/`.
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type OperationId, routeList } from '#lib/api/routes.ts';
import type { RegistryRow } from '#lib/registry/row.ts';
import { addressOf, automationCases } from '#test/support/automation-costs.ts';
import { card, createBody, flow, newRow, promoted } from '#test/support/builders.ts';
import { type Case, cost, invoke, startCounting } from '#test/support/call-cost.ts';
import { newCaller, type TestCaller, unique } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';
import { costsPage, type Priced } from '#test/support/costs-page.ts';
import { hookCases } from '#test/support/hook-cases.ts';
import { askingRun } from '#test/support/run-calls.ts';

let closeCounters: () => Promise<void>;
beforeAll(async () => {
  closeCounters = await startCounting();
});
afterAll(() => closeCounters());

const rowParams = (row: { a2aregistryid: string }) => ({ params: { a2aregistryid: row.a2aregistryid } });
const newFlow = async (caller: TestCaller, builds: number) => {
  const flowid = unique('flow');
  const rows: RegistryRow[] = [];
  for (let n = 0; n < builds; n += 1) rows.push(await newRow(caller, { flowid, visibility: 'public' }));
  return rows;
};
const liveFlow = async (caller: TestCaller): Promise<RegistryRow> =>
  await promoted(caller, await newRow(caller, { visibility: 'public' }));
const triggerRequest = async (caller: TestCaller) => {
  const row = await liveFlow(caller);
  return { params: addressOf(caller, row.flowid), body: { message: 'hello' } };
};
const newKeyBody = { label: 'One', scopes: ['audit:read'], workspaces: '*' };
const keyedCreate = async (caller: TestCaller) => ({
  ...inWorkspace(caller),
  body: createBody(),
  headers: { 'Idempotency-Key': unique('key') },
});
const credential = { token: 'hunter2' };
const body = { type: 'http_bearer', hosts: ['api.crm.example'], credential };
const crmOf = ({ workspaceid }: TestCaller) => ({ params: { name: 'crm' }, query: { workspaceid }, body });
const inWorkspace = ({ workspaceid }: TestCaller) => ({ query: { workspaceid } });

const cases: Readonly<Record<string, Case>> = {
  ...hookCases,
  'registry: create': {
    operation: 'createRegistryRow',
    prepare: async (caller) => ({ ...inWorkspace(caller), body: createBody() }),
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
      await newFlow(caller, 3);
      return { query: { workspaceid: caller.workspaceid, tag: 'agent' } };
    },
  },
  'registry: search': {
    operation: 'searchRegistry',
    prepare: async (caller) => {
      await liveFlow(caller);
      return { query: { q: 'echo' } };
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
  'trigger: cancel a run': {
    operation: 'cancelRun',
    prepare: async (caller) => ({ params: await askingRun(caller) }),
  },
  'trigger: answer a run': {
    operation: 'resumeRun',
    prepare: async (caller) => ({ params: await askingRun(caller), body: { answer: 'yes' } }),
  },
  'runs: list, one page': { operation: 'listRuns', prepare: async (caller) => inWorkspace(caller) },
  'runs: get': {
    operation: 'getRunDetail',
    prepare: async (caller) => ({ params: { workflow_id: (await askingRun(caller)).workflow_id } }),
  },
  ...automationCases,
  'a2a: card of the live build': {
    operation: 'getLiveCard',
    prepare: async (caller) => ({ params: { flowId: (await liveFlow(caller)).flowid } }),
  },
  'a2a: SendMessage to a flow of one node': {
    operation: 'callLiveAgent',
    prepare: async (caller) => ({ params: { flowId: (await liveFlow(caller)).flowid } }),
    isRepeated: true,
  },
  'connections: store one': { operation: 'putConnection', prepare: async (caller) => crmOf(caller) },
  'connections: list those of a workspace': {
    operation: 'listConnections',
    prepare: async ({ workspaceid }) => ({ query: { workspaceid } }),
  },
  'connections: delete one': {
    operation: 'deleteConnection',
    prepare: async (caller) => {
      await invoke('putConnection', caller, crmOf(caller));
      return { ...crmOf(caller), body: undefined };
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
  'access: jwks': { operation: 'getJwks', prepare: async () => ({}), isRepeated: true },
};

/** Operations without a case, each with the reason. */
const withoutCase: Readonly<Partial<Record<OperationId, string>>> = {
  testRegistryRow: 'reads as `get with flow=true` does; its tests call nothing',
  followRun: 'reads as long as somebody listens',
  callTestAgent: 'as callLiveAgent, which finds its build in one read more',
  callAgent: 'as callLiveAgent, which finds its build in one read more',
  getTestCard: 'as getLiveCard, which finds its build in one read more',
  getAgentCard: 'as getLiveCard, which finds its build in one read more',
  setCallbackSecret: 'as setWebhookSecret',
  getCallbackSecret: 'as getWebhookSecret',
  deleteCallbackSecret: 'as deleteWebhookSecret',
  getOpenapi: 'calls nothing',
  getFlowSchema: 'calls nothing',
  getHealth: 'calls nothing',
};

test('every operation is counted, or says why it is not', () => {
  const counted = new Set<string>(Object.values(cases).map(({ operation }) => operation));
  const ids = routeList.map(([id]) => id);
  expect(ids.filter((id) => !counted.has(id)).sort()).toEqual(Object.keys(withoutCase).sort());
});

/** Rows of the table, `| request | DynamoDB | KMS | SQS |`, as request → "DynamoDB KMS SQS". */
function documented(): Record<string, string> {
  const text = readFileSync(new URL('../../docs/aws-calls.md', import.meta.url), 'utf8');
  const rows = [...text.matchAll(/^\| (\w+: .+?) +\| (\d+) +\| (\d+) +\| (\d+) +\|$/gm)];
  return Object.fromEntries(rows.map(([, says = '', ...counts]) => [says, counts.join(' ')]));
}

const measured: Record<string, Priced> = {};
beforeAll(async () => {
  for (const [says, { operation, prepare, isRepeated, hasVaryingUnits = false }] of Object.entries(cases)) {
    const caller = await newCaller();
    const options = await prepare(caller);
    // What a process asks once is asked now: the signing key, and what this caller's key says.
    await invoke('getRegistryRow', caller, { ...rowParams(await newRow(caller)), query: {} });
    if (isRepeated) await invoke(operation, caller, options);
    measured[says] = { operation, hasVaryingUnits, ...(await cost(operation, caller, options)) };
  }
}, 60_000);

test('a warm request makes exactly the AWS calls that docs/aws-calls.md says', () => {
  const calls = Object.entries(measured).map(([says, { dynamodb, kms, sqs }]) => [
    says,
    `${dynamodb} ${kms} ${sqs}`,
  ]);
  expect(Object.fromEntries(calls)).toEqual(documented());
});

test('a million warm requests cost what docs/costs.md says (`npm run costs` writes it)', async () => {
  await expect(costsPage(measured)).toMatchFileSnapshot('../../docs/costs.md');
});
