// The requests of the configuration page whose AWS calls are counted: as the browser of a person sends them.
import { expect } from 'vitest';
import { hiddenFields, openPage, submitForm, waitingTask } from './agent-config.ts';
import { startAuthorizationServer } from './authorization-server.ts';
import { flow } from './builders.ts';
import { type Case, invoke } from './call-cost.ts';
import type { TestCaller } from './caller.ts';
import { liveAgent } from './flows.ts';

const agentWith = async (connections: object, caller: TestCaller) =>
  await liveAgent({ flow: flow({ connections: JSON.parse(JSON.stringify(connections)) }) }, caller);

const crm = { crm: { type: 'http_bearer', hosts: ['api.crm.example'], scope: 'user' } };

/** The link of a task that waits. This process has the key of links then. */
async function openedLink(connections: object, caller: TestCaller) {
  const { link } = await waitingTask({}, await agentWith(connections, caller));
  const query = Object.fromEntries(new URL(link).searchParams);
  await invoke('showAgentConfig', caller, { query });
  return { link, query };
}

/** What the browser has when the server sends it back, which is asked for a code for each request. */
async function returned(caller: TestCaller) {
  const server = await startAuthorizationServer();
  const { link } = await openedLink({ calendar: server.connection() }, caller);
  const page = await submitForm(link, { ...hiddenFields(await openPage(link)), action: 'connect' });
  const cookie = page.headers.get('set-cookie')?.split(';')[0] ?? '';
  const href = /<a class="button" href="([^"]*)"/.exec(page.html)?.[1]?.replaceAll('&amp;', '&') ?? '';
  const there = await fetch(href, { redirect: 'manual' });
  const query = Object.fromEntries(new URL(there.headers.get('location') ?? '').searchParams);
  expect(query.code).toBeDefined();
  return { query, headers: { Cookie: cookie } };
}

export const agentConfigCases: Readonly<Record<string, Case>> = {
  'page: show what an agent needs': {
    operation: 'showAgentConfig',
    prepare: async (caller) => ({ query: (await openedLink(crm, caller)).query }),
  },
  'page: store a value': {
    operation: 'submitAgentConfig',
    prepare: async (caller) => {
      const { link } = await openedLink(crm, caller);
      const fields = hiddenFields(await openPage(link));
      return { form: { ...fields, 'credential.token': 'hunter2', action: 'store' }, headers: fromPage };
    },
  },
  'page: come back from an OAuth server': {
    operation: 'finishAgentConfig',
    prepare: returned,
    hasCode: true,
  },
};

const fromPage = { 'Sec-Fetch-Site': 'same-origin', Origin: 'null' };
