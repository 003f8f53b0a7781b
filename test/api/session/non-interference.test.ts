// Within one organisation: what a user, a client of the user and a key see of their own does not depend on what other
// users, keys and organisations do with the same agent and in the same workspace.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { agentUrls, post, readTaskId, rpcAnswer } from '#test/support/a2a.ts';
import { newCaller, type TestCaller } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';
import { bearer } from '#test/support/connections.ts';
import { askingFlow, liveAgent, type TestAgent } from '#test/support/flows.ts';
import { newPerson, type Person } from '#test/support/person.ts';
import { seed } from '#test/support/seed.ts';
import { serviceUrl } from '#test/support/service-url.ts';
import { newToken } from '#test/support/tokens.ts';

type Headers = Readonly<Record<string, string>>;

/** Something of another principal that can be asked for by name. */
interface Things {
  readonly task: string;
  readonly session: string;
}

const message = (parts: object[] = [{ text: 'Hello' }]) => ({
  messageId: crypto.randomUUID(),
  role: 'ROLE_USER',
  parts,
});

async function rpc({ a2aregistryid, flowid }: TestAgent, headers: Headers, method: string, params: object) {
  const text = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const response = await post(agentUrls({ a2aregistryid, flowid }).agent, { text, headers });
  return rpcAnswer.parse(JSON.parse(await response.text()));
}

/** All that is of one principal alone, and its answers about the things of another. */
async function observe(agent: TestAgent, headers: Headers, other: Things): Promise<string> {
  const query = { workspaceid: agent.workspaceid };
  const ask = async (method: string, params: object) => await rpc(agent, headers, method, params);
  const path = (address: string, method = 'GET') => fetchText(address, method, headers);
  const seen = [
    await ask('ListTasks', {}),
    await ask('GetTask', { id: other.task }),
    await ask('CancelTask', { id: other.task }),
    await ask('SendMessage', { message: { ...message(), taskId: other.task, messageId: 'fixed' } }),
    (await call('listConnections', { headers, query })).body,
    await path('/api/v1/me'),
    await path('/api/v1/sessions'),
    await path(`/api/v1/sessions/${other.session}`, 'DELETE'),
  ];
  return JSON.stringify(seen)
    .replaceAll(other.task, '{task}')
    .replaceAll(other.session, '{session}')
    .replace(/"instance\\?":\\?"[^"]*"/g, '')
    .replace(/"last_used_at\\?":\\?"[^"]*"/g, '');
}

async function fetchText(path: string, method: string, headers: Headers): Promise<string> {
  const response = await fetch(`${serviceUrl()}${path}`, { method, headers });
  return `${response.status} ${await response.text()}`;
}

const acts = fc.array(
  fc.record({
    who: fc.constantFrom('colleague', 'client of the colleague', 'key', 'stranger'),
    what: fc.constantFrom('task', 'connection', 'delete the connection', 'cancel', 'answer', 'sign in again'),
  }),
  { minLength: 3, maxLength: 8 },
);

interface Actor {
  readonly headers: Headers;
  readonly person?: Person;
  readonly agent: TestAgent;
}

/** Returns the last task. */
async function act(
  { headers, person, agent }: Actor,
  what: string,
  task: string | undefined,
): Promise<string | undefined> {
  const params = { name: 'crm' };
  const query = { workspaceid: agent.workspaceid };
  switch (what) {
    case 'connection':
      await call('putConnection', {
        headers,
        params,
        query,
        body: bearer('other-secret', { scope: 'user' }),
      });
      return task;
    case 'delete the connection':
      await call('deleteConnection', { headers, params, query: { ...query, scope: 'user' } });
      return task;
    case 'cancel':
      if (task) await rpc(agent, headers, 'CancelTask', { id: task });
      return task;
    case 'answer':
      if (task)
        await rpc(agent, headers, 'SendMessage', {
          message: { ...message([{ text: 'yes' }]), taskId: task },
        });
      return task;
    case 'sign in again':
      if (person) await newPerson({ email: person.email, orgid: person.orgid });
      return task;
    default:
      return readTaskId((await rpc(agent, headers, 'SendMessage', { message: message() })).result);
  }
}

const withToken = async (person: Person): Promise<Headers> => ({
  authorization: `Bearer ${await newToken(person, { scopes: ['agents:call', 'connections:write', 'assistants.flows:read'] })}`,
});
const withKey = ({ key }: TestCaller): Headers => ({ 'x-api-key': key });

test(`what a principal sees does not depend on what others do (SEED=${seed})`, async () => {
  const owner = await newCaller();
  const agent = await liveAgent({ flow: askingFlow() }, owner);
  const { orgid, workspaceid } = owner;
  const observer = await newPerson({ orgid });
  const observers = [observer.page, await withToken(observer), withKey(await newCaller({ orgid }))];
  for (const headers of observers) {
    await rpc(agent, headers, 'SendMessage', { message: message() });
    const body = bearer('mine-mine-mine', { scope: 'user' });
    await call('putConnection', { headers, params: { name: 'crm' }, query: { workspaceid }, body });
  }
  const nothing = { task: crypto.randomUUID(), session: `ses_${'A'.repeat(43)}` };
  const observeAll = async (other: Things) =>
    await Promise.all(observers.map((headers) => observe(agent, headers, other)));
  const before = await observeAll(nothing);
  for (const seen of before)
    for (const own of ['TASK_STATE_INPUT_REQUIRED', 'crm']) expect(seen).toContain(own);
  await fc.assert(
    fc.asyncProperty(acts, async (script) => {
      const colleague = await newPerson({ orgid });
      const stranger = await newPerson();
      const theirs = await liveAgent(
        { flow: askingFlow() },
        { ...(await newCaller({ orgid: stranger.orgid })), workspaceid },
      );
      const actors: Readonly<Record<string, Actor>> = {
        colleague: { headers: colleague.page, person: colleague, agent },
        'client of the colleague': { headers: await withToken(colleague), agent },
        key: { headers: withKey(await newCaller({ orgid })), agent },
        stranger: { headers: stranger.page, person: stranger, agent: theirs },
      };
      const tasks = new Map<string, string | undefined>();
      for (const { who, what } of script) {
        const actor = actors[who];
        if (actor) tasks.set(who, await act(actor, what, tasks.get(who)));
      }
      for (const task of [...tasks.values(), crypto.randomUUID()])
        if (task) expect(await observeAll({ task, session: colleague.sessionid })).toEqual(before);
      expect((await call('getMe', { headers: colleague.page })).status, 'nobody has ended the session').toBe(
        200,
      );
    }),
    { seed, numRuns: 6 },
  );
});
