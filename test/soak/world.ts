// The agents of a soak: one that pays twice, one that fails, one that only answers, and one whose builds
// change places all the time.
import * as z from 'zod';
import { issueApiKey } from '#lib/access/api-key.ts';
import { permissions } from '#lib/access/permission.ts';
import { routes } from '#lib/routes/routes.ts';
import type { Effects } from '#test/support/effects.ts';
import { type Client, newClient } from './client.ts';

export interface World {
  readonly client: Client;
  readonly workspaceid: string;
  readonly withEffects: string;
  readonly failing: string;
  readonly answering: string;
  readonly changing: { readonly flowid: string; readonly builds: readonly string[] };
  /** Registers a flow that only answers, and promotes it. */
  readonly newAgent: (flowid: string) => Promise<string>;
}

const orgid = 'org_soak';
const workspaceid = 'ws_soak';
export const registryPath = routes.createRegistryRow.path;

const row = z.object({ a2aregistryid: z.string() });
const card = {
  name: 'Soak',
  description: 'Is asked for hours.',
  skills: [{ id: 'answer', name: 'Answer', description: 'Answers.' }],
};

/** In the service whose environment this process has taken over. */
export async function newWorld(baseUrl: string, effects: Effects): Promise<World> {
  const client = newClient(baseUrl, await newKey());
  const register = (flowid: string, flow: object) => registered(client, flowid, flow);
  const live = async (flowid: string, flow: object) => {
    const id = await register(flowid, flow);
    await expected(client.ask(`${registryPath}/${id}/promote-live`, { method: 'PUT' }));
    return id;
  };
  await live('flow_with_effects', payingFlow(effects));
  await live('flow_failing', newFlow({ type: 'fail', message: 'No stock.' }));
  await live('flow_answering', answeringFlow);
  const changing = 'flow_changing';
  const builds = [await live(changing, answeringFlow), await register(changing, answeringFlow)];
  return {
    client,
    workspaceid,
    withEffects: 'flow_with_effects',
    failing: 'flow_failing',
    answering: 'flow_answering',
    changing: { flowid: changing, builds },
    newAgent: (flowid) => live(flowid, answeringFlow),
  };
}

async function newKey(): Promise<string> {
  return await issueApiKey({
    id: 'key_soak',
    orgid,
    workspaces: [workspaceid],
    scopes: permissions,
    issuedAt: Math.floor(Date.now() / 1_000),
    lifetimeSeconds: 7 * 86_400,
  });
}

export async function registered(
  client: Client,
  flowid: string,
  flow: object = answeringFlow,
): Promise<string> {
  const asked = { method: 'POST', body: { flowid, agent_card: card, flow } };
  const { text } = await expected(client.ask(`${registryPath}?workspaceid=${workspaceid}`, asked));
  return row.parse(JSON.parse(text)).a2aregistryid;
}

async function expected(asking: ReturnType<Client['ask']>) {
  const answer = await asking;
  if (answer.status >= 400) throw new Error(`The service answered ${answer.status}: ${answer.text}`);
  return answer;
}

const newFlow = (node: object) => ({ version: 1, name: 'Soak', start: 'only', nodes: { only: node } });
const answeringFlow = newFlow({ type: 'end', output: { said: '{{ input.message }}' } });

const payingFlow = ({ url, host }: Effects) => {
  const pay = { type: 'http', method: 'POST', url, body: { amount: 1 } };
  const nodes = {
    first: { ...pay, next: 'second' },
    second: { ...pay, next: 'done' },
    done: { type: 'end', output: { paid: true } },
  };
  return { version: 1, name: 'With effects', egress: [host], start: 'first', nodes };
};
