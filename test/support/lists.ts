// What the lists of the service need to hold something: for each of them, five that a new caller has made.
import type { OperationId } from '#lib/routes/routes.ts';
import { card, newRow } from './builders.ts';
import type { Options } from './call-cost.ts';
import { type TestCaller, unique } from './caller.ts';
import { call } from './client.ts';
import { bearer, putConnection } from './connections.ts';
import { idle } from './control.ts';
import { invite, joinOrganization } from './person.ts';
import { deliver, webhookMessage } from './runs.ts';
import { storedRuns } from './stored-run.ts';
import { storeValue } from './stored-value.ts';
import { newTrigger, setting } from './triggers.ts';
import { endedRun, used } from './usage.ts';

export const listOperations = [
  'listRuns',
  'listRegistryRows',
  'getRegistryRowHistory',
  'searchRegistry',
  'listTriggers',
  'listEnvironments',
  'listDeadLetters',
  'listMemory',
  'listConnections',
  'listApiKeys',
  'listAudit',
  'listUsage',
  'listBudgets',
  'listMembers',
  'listInvitations',
  'listWorkspaces',
] as const satisfies readonly OperationId[];
export type List = (typeof listOperations)[number];

export const listedCount = 5;
const times = async (make: (n: number) => Promise<unknown>) => {
  for (let n = 0; n < listedCount; n += 1) await make(n);
};
const inWorkspace = ({ workspaceid }: TestCaller): Options => ({ query: { workspaceid } });

/** Each makes five for its list, or says how many there are, and says what to ask for. */
export const lists: Record<List, (caller: TestCaller) => Promise<Options & { readonly holds?: number }>> = {
  listRuns: async (caller) => {
    await storedRuns(caller, listedCount);
    return inWorkspace(caller);
  },
  listRegistryRows: async (caller) => {
    await times(() => newRow(caller));
    return inWorkspace(caller);
  },
  getRegistryRowHistory: async (caller) => {
    const { a2aregistryid } = await newRow(caller);
    const { key } = caller;
    const body = { agent_card: card() };
    for (let n = 1; n < listedCount; n += 1)
      await call('updateRegistryRow', { key, params: { a2aregistryid }, body });
    return { params: { a2aregistryid }, query: {} };
  },
  searchRegistry: async (caller) => {
    await times(() => newRow(caller, { agent_card: card({ description: 'Answers about parcels.' }) }));
    return { query: { q: 'parcels', status: 'test' } };
  },
  listTriggers: async (caller) => {
    const { flowid } = await newRow(caller, { flowid: unique('flow') });
    await times(() => newTrigger({ ...caller, flowid }));
    return inWorkspace(caller);
  },
  listEnvironments: async (caller) => {
    const names = ['live', 'test', 'dev', 'uat'];
    for (const name of names) await setting({ ...caller, flowid: '' }, name, {});
    return { ...inWorkspace(caller), holds: names.length };
  },
  listDeadLetters: async (caller) => {
    const agent = { ...caller, flowid: unique('flow'), a2aregistryid: '' };
    await times(() => deliver(JSON.stringify(webhookMessage(agent))));
    await idle();
    return inWorkspace(caller);
  },
  listMemory: async (caller) => {
    const flow_id = unique('flow');
    const owner = { ...caller, flowid: flow_id, environment: 'live' } as const;
    await times((n) => storeValue(owner, `visits/${n}`));
    return { params: { flow_id, environment: 'live' }, ...inWorkspace(caller) };
  },
  listConnections: async (caller) => {
    await times((n) => putConnection(caller, `crm_${n}`, bearer()));
    return inWorkspace(caller);
  },
  listApiKeys: async (caller) => {
    const body = { label: 'One', scopes: ['assistants.flows:read'], workspaces: '*' };
    await times(() => call('createApiKey', { key: caller.key, body }));
    return { query: {} };
  },
  listMembers: async ({ orgid }) => {
    await times(() => joinOrganization(orgid));
    return { query: {} };
  },
  listInvitations: async ({ orgid }) => {
    await times(() => invite({ orgid }));
    return { query: {} };
  },
  listWorkspaces: async ({ key }) => {
    await times(() => call('createWorkspace', { key, body: { name: 'One' } }));
    return { query: {} };
  },
  listAudit: async (caller) => {
    await times(() => newRow(caller));
    await idle();
    return inWorkspace(caller);
  },
  listBudgets: async ({ key }) => {
    await times(() =>
      call('setBudget', { key, query: { workspaceid: unique('ws') }, body: { monthly_limit: 1 } }),
    );
    return { query: {} };
  },
  listUsage: async (caller) => {
    const at = new Date().toISOString();
    await times((n) => endedRun(caller, at, [used()], { flowid: `flow_${n}` }));
    return { query: { workspaceid: caller.workspaceid, group: 'flow' } };
  },
};
