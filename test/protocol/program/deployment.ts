// The conformance agents in a service: one that acts out the states of tasks, one that needs a connection. Each has a live
// build and one under test, so that the live, test and agent URL are three addresses.
import { readFileSync } from 'node:fs';
import { decodeJwt } from 'jose';
import * as z from 'zod';
import { type Send, sender } from '#lib/local/send.ts';
import { newCaller, unique } from '#test/support/caller.ts';
import { forkHost } from '#test/support/forked-host.ts';

export const urlNames = ['live', 'test', 'agent'] as const;
export type UrlName = (typeof urlNames)[number];

export interface AgentUrl {
  readonly url: string;
  /** With which the addresses in the card begin. */
  readonly hostedUrl: string;
}

export interface ConformanceAgents {
  readonly states: Readonly<Record<UrlName, AgentUrl>>;
  readonly connection: Readonly<Record<UrlName, AgentUrl>>;
}

export interface TestedService {
  readonly baseUrl: string;
  readonly workspaceid: string;
  readonly agents: ConformanceAgents;
  /** Locally each client has a key, as clients with one key share their connections and their list of tasks. */
  readonly newKey: () => Promise<string>;
  readonly isLocal: boolean;
  readonly close: () => Promise<void>;
}

/** A host of its own, with all data in memory. */
export async function startLocalService(): Promise<TestedService> {
  const { service, stop } = await forkHost();
  Object.assign(process.env, service.environment);
  const { baseUrl } = service;
  const { key, orgid, workspaceid } = await newCaller();
  const { agents } = await deploy({ send: sender({ baseUrl, apiKey: key }), baseUrl, workspaceid });
  const newKey = async () => (await newCaller({ orgid, workspaces: [workspaceid] })).key;
  return { baseUrl, workspaceid, agents, newKey, isLocal: true, close: stop };
}

/** A service that runs, with a key that may create and delete builds, promote them and store connections. */
export async function useService(url: string, apiKey: string): Promise<TestedService> {
  const baseUrl = url.replace(/\/$/, '');
  const { ws } = claims.parse(decodeJwt(apiKey));
  const workspaceid = ws === '*' ? 'conformance' : (ws[0] ?? '');
  const send = sender({ baseUrl, apiKey });
  const { agents, remove } = await deploy({ send, baseUrl, workspaceid });
  const close = async () => {
    await remove();
    await connectionCalls(send, workspaceid).removeConnection();
  };
  return { baseUrl, workspaceid, agents, newKey: async () => apiKey, isLocal: false, close };
}

const claims = z.object({ ws: z.union([z.literal('*'), z.array(z.string())]) });

/** The connection that one of the agents needs, of the key that sends. */
export function connectionCalls(send: Send, workspaceid: string) {
  const path = `/api/v1/connections/conformance?workspaceid=${workspaceid}`;
  const credential = { token: 'a-test-value' };
  const value = { type: 'http_bearer', scope: 'user', hosts: ['example.com'], credential };
  return {
    storeConnection: async () => {
      await send(`PUT ${path}`, value);
    },
    removeConnection: async () => {
      await send(`DELETE ${path}&scope=user`).catch((error: Error) => {
        if (!error.message.includes(' answered 404')) throw error;
      });
    },
  };
}

interface Target {
  readonly send: Send;
  readonly baseUrl: string;
  readonly workspaceid: string;
}

async function deploy(target: Target): Promise<{ agents: ConformanceAgents; remove: () => Promise<void> }> {
  const ids: string[] = [];
  const agents = {
    states: await deployAgent(target, 'conformance', ids),
    connection: await deployAgent(target, 'conformance-connection', ids),
  };
  const remove = async () => {
    for (const id of ids) await target.send(`DELETE ${rows}/${id}`);
  };
  return { agents, remove };
}

const rows = '/api/v1/a2a-registry';
const row = z.looseObject({ a2aregistryid: z.string(), hosted_url: z.string() });

async function deployAgent({ send, baseUrl, workspaceid }: Target, sample: string, ids: string[]) {
  const body = { flowid: unique(sample), agent_card: card(sample), flow: readSample(sample) };
  const register = async () => {
    const registered = row.parse(await send(`POST ${rows}?workspaceid=${workspaceid}`, body));
    ids.unshift(registered.a2aregistryid);
    return registered;
  };
  const first = await register();
  const live = row.parse(await send(`PUT ${rows}/${first.a2aregistryid}/promote-live`));
  const test = await register();
  return {
    live: { url: live.hosted_url, hostedUrl: live.hosted_url },
    test: { url: test.hosted_url, hostedUrl: test.hosted_url },
    agent: { url: `${baseUrl}/api/v1/ai/a2a/agents/${live.a2aregistryid}/`, hostedUrl: live.hosted_url },
  };
}

const readSample = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`../../../events/flows/${name}.json`, import.meta.url), 'utf8'));

const card = (id: string) => ({
  name: 'Conformance',
  description: 'Acts out the states of a task, for tests of clients.',
  skills: [{ id, name: 'States', description: 'Acts out the state that the message names.', tags: ['test'] }],
  defaultInputModes: ['text/plain', 'application/json', 'text/csv'],
});
