// An organisation learns nothing of another over HTTP, whether a key, a user of any role or a client of a user asks: each
// endpoint answers the same, to the byte and header, for what another organisation has and for ids that never existed.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { agentScopes, oauthScopes } from '#lib/access/oauth-scope.ts';
import { deriveUserId } from '#lib/access/principal.ts';
import { newRegistryId, newRunId } from '#lib/ids.ts';
import type { RegistryRow } from '#lib/registry/row/row.ts';
import { deriveInvitationId } from '#lib/session/invitation-items.ts';
import { card, newRow, promoted } from '#test/support/builders.ts';
import { newCaller, type TestCaller, unique } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';
import { idle } from '#test/support/control.ts';
import { invite, joinOrganization, newEmail, newPerson } from '#test/support/person.ts';
import { seed } from '#test/support/seed.ts';
import { testedService } from '#test/support/tested-service.ts';
import { newToken } from '#test/support/tokens.ts';

/** What the other organisation is asked for by name. */
interface Names {
  readonly id: string;
  readonly flowid: string;
  readonly run: string;
  readonly orgid: string;
  readonly workspaceid: string;
  /** The id of an API key. */
  readonly key: string;
  /** A member, and an open invitation. */
  readonly user: string;
  readonly invitation: string;
}

const word = 'observatory';
const agents = '/api/v1/ai/a2a';
const rows = '/api/v1/a2a-registry';
const audit = '/api/v1/audit';
const message = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'hello' }] };
const rpc = (method: string, params: object) => ({ jsonrpc: '2.0', id: 1, method, params });
const connector = '/api/v1/ai/mcp';
const tool = (name: string, args: object) => rpc('tools/call', { name, arguments: args });

/** Requests of all endpoints, for resources of the observer and for those of the other organisation. */
const requests = (own: Observer, other: Names): readonly (readonly [string, string, object?])[] => [
  ['GET', `${rows}?workspaceid=${own.workspaceid}`],
  ['GET', `${rows}?workspaceid=${own.workspaceid}&flowid=${other.flowid}`],
  ['GET', `${rows}?workspaceid=${other.workspaceid}`],
  ['GET', `${rows}?workspaceid=${own.workspaceid}&orgid=${other.orgid}`],
  ['GET', `${rows}/search?q=${word}`],
  ['GET', `${rows}/search?q=${word}&status=test`],
  ['GET', `${rows}/search?q=${other.flowid}`],
  ['GET', `${rows}/${other.id}`],
  ['GET', `${rows}/${other.id}?flow=true`],
  ['PUT', `${rows}/${other.id}`, { agent_card: card() }],
  ['PUT', `${rows}/${other.id}/promote-live`],
  ['DELETE', `${rows}/${other.id}`],
  ['GET', `${rows}/${other.id}/history`],
  ['GET', `${rows}/${other.id}/diff?against=live`],
  ['POST', `${rows}/${other.id}/rollback`],
  ['GET', `${rows}?workspaceid=${own.workspaceid}&flow_list=true`],
  // It tells of the requests before, once their records have arrived.
  ...(testedService().controlUrl ? [['GET', `${audit}?workspaceid=${other.workspaceid}`] as const] : []),
  ['DELETE', `/api/v1/api-keys/${other.key}`],
  ['GET', '/api/v1/members'],
  ['GET', `/api/v1/members/${other.user}`],
  ['PUT', `/api/v1/members/${other.user}`, { roles: { '*': 'viewer' } }],
  ['DELETE', `/api/v1/members/${other.user}`],
  ['GET', '/api/v1/invitations'],
  ['DELETE', `/api/v1/invitations/${other.invitation}`],
  ['GET', '/api/v1/workspaces'],
  ['GET', `/api/v1/workspaces/${other.workspaceid}`],
  ['PUT', `/api/v1/workspaces/${other.workspaceid}`, { name: 'Mine' }],
  ['DELETE', `/api/v1/workspaces/${other.workspaceid}`],
  ...[
    `${other.flowid}`,
    `${other.flowid}/${other.id}`,
    `${other.flowid}/build-1`,
    `agents/${other.id}`,
  ].flatMap((address): [string, string, object?][] => [
    ['GET', `${agents}/${address}/.well-known/agent-card.json`],
    ['POST', `${agents}/${address}`, rpc('SendMessage', { message })],
    ['POST', `${agents}/${address}`, rpc('GetTask', { id: other.run })],
  ]),
  ['POST', connector, tool('discover_agents', { query: word })],
  ['POST', connector, tool('discover_agents', { query: word, status: 'test' })],
  ['POST', connector, tool('list_agents', { visibility: 'organization' })],
  ['POST', connector, tool('list_agents', { status: 'test' })],
  ['POST', connector, tool('call_agent', { registry_id: other.id, message: 'hello' })],
  ['POST', connector, tool('call_agent', { registry_id: other.id, message: 'hello', task_id: other.run })],
  ['POST', `/api/v1/ai/trigger/${other.workspaceid}/${other.flowid}/live`, { message: 'hello' }],
  ['POST', `/api/v1/ai/trigger/${own.workspaceid}/${other.flowid}/test`, { message: 'hello' }],
  ['GET', `/api/v1/ai/trigger/status/${own.workspaceid}/${other.run}`],
  ['GET', `/api/v1/ai/trigger/status/${other.workspaceid}/${other.run}`],
  ['POST', `/api/triggers/webhook/${other.flowid}`, { event: 'hello' }],
  ['GET', `/api/v1/webhook-secrets/${other.flowid}?workspaceid=${own.workspaceid}`],
  ['DELETE', `/api/v1/webhook-secrets/${other.flowid}?workspaceid=${other.workspaceid}`],
  ['GET', `/api/v1/callback-secret?workspaceid=${other.workspaceid}`],
  ['GET', `/api/v1/dead-letters?workspaceid=${other.workspaceid}`],
  ['POST', `/api/v1/dead-letters/${other.run}/redrive?workspaceid=${other.workspaceid}`],
  ['GET', `/api/v1/runs/${other.run}/deliveries?workspaceid=${other.workspaceid}`],
];

interface Observer {
  readonly workspaceid: string;
  /** The headers that authenticate a request to this path. */
  readonly credentials: (path: string) => Readonly<Record<string, string>>;
}

interface Seen {
  readonly request: string;
  readonly status: number;
  readonly headers: string;
  readonly text: string;
}

async function observe(own: Observer, other: Names): Promise<Seen[]> {
  const seen: Seen[] = [];
  for (const [method, path, body] of requests(own, other)) {
    if (path.startsWith(audit)) await idle();
    const response = await fetch(`${testedService().baseUrl}${path}`, {
      method,
      ...(body && { body: JSON.stringify(body) }),
      headers: {
        ...own.credentials(path),
        'a2a-version': '1.0',
        ...(path === connector && { accept: 'application/json, text/event-stream' }),
        ...(body && { 'content-type': 'application/json' }),
      },
    });
    const anonymous = (text: string) =>
      Object.entries(other).reduce((all, [name, value]) => all.replaceAll(value, `{${name}}`), text);
    const requestId = response.headers.get('x-request-id') ?? '';
    const headers = [...response.headers].filter(
      ([name]) => !/^date$|request-?id|apigw-id|trace|content-length|^ratelimit/.test(name),
    );
    // Scores count the public agents of the tenant, which other tests make meanwhile, and the audit trail contains the
    // requests of this test.
    const text = anonymous((await response.text()).replaceAll(requestId, '{request}')).replace(
      /"(score|at|requestid)":("[^"]*"|[\d.]+)/g,
      '"$1"',
    );
    seen.push({
      request: `${method} ${anonymous(path)}`,
      status: response.status,
      headers: anonymous(JSON.stringify(headers)),
      text,
    });
  }
  return seen;
}

const observerKinds = ['key', 'key of a user', 'owner', 'viewer of the workspace', 'client'] as const;
type ObserverKind = (typeof observerKinds)[number];

/** Principals of one organisation, by every kind of credential. */
async function newObservers({
  orgid,
  workspaceid,
  key,
}: TestCaller): Promise<Readonly<Record<ObserverKind, Observer>>> {
  const [owner, builder, viewer] = await Promise.all([
    newPerson({ orgid, role: 'owner' }),
    newPerson({ orgid, role: 'builder' }),
    newPerson({ orgid, roles: { [workspaceid]: 'viewer' } }),
  ]);
  const made = await call('createApiKey', {
    headers: owner.page,
    body: { label: 'One', scopes: ['assistants.flows:read', 'assistants.flows:run'], workspaces: '*' },
  });
  const tokens = {
    api: await newToken(builder, { scopes: oauthScopes }),
    connector: await newToken(builder, { scopes: agentScopes, resource: 'connector' }),
  };
  const by = (credentials: Observer['credentials']): Observer => ({ workspaceid, credentials });
  return {
    key: by(() => ({ authorization: `Bearer ${key}` })),
    'key of a user': by(() => ({ 'x-api-key': made.body.token })),
    owner: by(() => owner.page),
    'viewer of the workspace': by(() => viewer.page),
    client: by((path) => ({
      authorization: `Bearer ${path === connector ? tokens.connector : tokens.api}`,
    })),
  };
}

/** The other organisation's changes of its own agents, none of which is public. */
const acts = fc.array(fc.constantFrom('register', 'register', 'promote', 'update', 'delete'), {
  minLength: 2,
  maxLength: 8,
});

const described = { agent_card: card({ name: `Agent of the ${word}` }) };

async function act(caller: TestCaller, flowid: string, script: readonly string[]): Promise<RegistryRow> {
  const rowsThere = [await promoted(caller, await newRow(caller, { flowid, ...described }))];
  for (const step of script) {
    const row = rowsThere.at(-1);
    if (!row) break;
    const at = { key: caller.key, params: { a2aregistryid: row.a2aregistryid } };
    if (step === 'register') rowsThere.push(await newRow(caller, { flowid, ...described }));
    if (step === 'promote') await promoted(caller, row);
    if (step === 'update') await call('updateRegistryRow', { ...at, body: described });
    if (step === 'delete' && rowsThere.length > 1) {
      await call('deleteRegistryRow', at);
      rowsThere.pop();
    }
  }
  const [first] = rowsThere;
  if (!first) throw new Error('The first row is never deleted.');
  return first;
}

test(`what a principal sees does not depend on other organisations (SEED=${seed})`, async () => {
  const own = await newCaller();
  await promoted(own, await newRow(own, described));
  await newRow(own, described);
  const nobody = {
    id: newRegistryId(),
    flowid: unique('secret'),
    run: newRunId(),
    orgid: unique('org'),
    key: unique('key'),
    user: deriveUserId('https://issuer.example', unique('nobody')),
    invitation: deriveInvitationId(newEmail()),
  };
  const observers = await newObservers(own);
  const before = new Map<ObserverKind, Seen[]>();
  for (const kind of observerKinds)
    before.set(kind, await observe(observers[kind], { ...nobody, workspaceid: unique('ws') }));
  expect([...before.values()].map(([listed]) => listed?.status)).toEqual(observerKinds.map(() => 200));
  await fc.assert(
    fc.asyncProperty(acts, fc.constantFrom(...observerKinds), async (script, kind) => {
      const other = await newCaller();
      const { workspaceid, orgid } = other;
      const flowid = unique('secret');
      const { a2aregistryid: id } = await act(other, flowid, script);
      const params = { workspace_id: workspaceid, trigger_id: flowid, environment: 'live' };
      const answer = await call('triggerFlow', {
        key: other.key,
        params,
        body: { message: 'hello' },
      });
      const run = answer.status === 200 ? answer.body.workflow_id : newRunId();
      await call('createWorkspace', { key: other.key, body: { workspaceid, name: word } });
      const { userid: user } = await joinOrganization(orgid);
      const invitation = deriveInvitationId((await invite({ orgid })).email);
      const names = { id, flowid, run, orgid, workspaceid, key: other.id, user, invitation };
      expect(await observe(observers[kind], names)).toEqual(before.get(kind));
    }),
    { seed, numRuns: 10 },
  );
});
