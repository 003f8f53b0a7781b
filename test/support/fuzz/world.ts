// Two organisations with something of everything that a path or a query can name, so that generated requests
// get past 404.
import fc from 'fast-check';
import { deriveInvitationId } from '#lib/session/invitation-items.ts';
import type { DeclaredTrigger } from '#lib/trigger/declared-trigger.ts';
import { newRow, promoted } from '#test/support/builders.ts';
import { newCaller, type TestCaller, unique } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';
import { bearer, putConnection } from '#test/support/connections.ts';
import { idle } from '#test/support/control.ts';
import { askingFlow, liveAgent } from '#test/support/flows.ts';
import { invite, joinOrganization } from '#test/support/person.ts';
import { deliver, webhookMessage } from '#test/support/runs.ts';
import { newTrigger, setting, yearly } from '#test/support/triggers.ts';
import { declareWebhook } from '#test/support/webhook-senders.ts';
import { a2aBodies } from './a2a-schema.ts';
import { openSignature } from './fuzz-request.ts';
import type { KnownValues, Seeds } from './generate.ts';
import { type ListedTool, listTools, mcpBodies, mcpHeaders } from './mcp-schema.ts';
import type { Keys } from './send-request.ts';

export interface World {
  readonly keys: Keys;
  readonly seeds: Seeds;
  readonly signedFlow: string;
  /** What only the organisation of the good key may see. */
  readonly ownMarks: readonly string[];
  /** Those of the connector. */
  readonly tools: readonly ListedTool[];
}

const spares = 12;

export async function newWorld(baseUrl: string): Promise<World> {
  const [caller, other] = await Promise.all([newCaller(), newCaller()]);
  const weak = await newCaller({ orgid: caller.orgid, scopes: [] });
  const mark = unique('own_secret_mark');
  const [own, foreign, spare] = await Promise.all([
    things(caller, mark),
    things(other, 'none'),
    expendable(caller),
  ]);
  const signingSecret = await signedEvents(caller, own.signedFlow);
  const tools = await listTools(baseUrl, caller.key);
  const agents = [...own.known.a2aregistryid, ...foreign.known.a2aregistryid];
  return {
    keys: { good: caller.key, weak: weak.key, foreign: other.key, signingSecret },
    signedFlow: own.signedFlow,
    ownMarks: [mark],
    tools,
    seeds: {
      known: merged(own.known, foreign.known),
      spare,
      bodies: {
        ...Object.fromEntries(a2aOperations.map((id) => [id, a2aBodies(own.tasks)])),
        callConnector: mcpBodies(tools, { agents, tasks: own.tasks }),
      },
      headers: {
        ...Object.fromEntries(a2aOperations.map((id) => [id, version])),
        acceptWebhook: signatures,
        callConnector: mcpHeaders,
      },
    },
  };
}

export const a2aOperations = ['callLiveAgent', 'callTestAgent', 'callAgent'] as const;

const version = fc.oneof(
  { arbitrary: fc.constant([['a2a-version', '1.0']] as const), weight: 15 },
  {
    arbitrary: fc.constantFrom([], [['a2a-version', '0.3']] as const, [['a2a-version', '2.0']] as const),
    weight: 1,
  },
);

/** Own things five times as often as those of the other organisation. */
function merged(own: KnownValues, foreign: KnownValues): KnownValues {
  const all = Object.keys(own).map((name) => {
    const mine = own[name] ?? [];
    return [name, [...mine, ...mine, ...mine, ...mine, ...mine, ...(foreign[name] ?? [])]];
  });
  return Object.fromEntries(all);
}

async function things(caller: TestCaller, mark: string) {
  const flowid = unique('flow');
  const marked = { flowid, env_variable: { MARK: mark } };
  const live = await promoted(caller, await newRow(caller, { ...marked, visibility: 'public' }));
  const build = await newRow(caller, marked);
  const asking = await liveAgent({ flow: askingFlow() }, caller);
  const signedFlow = (await liveAgent({}, caller)).flowid;
  const owner = { ...caller, flowid };
  const api = await newTrigger(owner, { message: mark });
  const timed = await newTrigger(owner, { kind: 'schedule', schedule: yearly });
  const hook = await newTrigger(owner, { kind: 'webhook' });
  const sourced = await declareWebhook(owner, { type: 'github' });
  await setting(owner, 'uat', { env: { MARK: mark }, pins: { [flowid]: build.a2aregistryid } });
  await putConnection(caller, 'crm', bearer());
  const lost = webhookMessage({ ...owner, flowid: unique('flow'), a2aregistryid: '' });
  await deliver(JSON.stringify(lost));
  const runs = [
    await startRun(caller, flowid),
    await startRun(caller, flowid),
    await startRun(caller, asking.flowid),
  ];
  await idle();
  const flows = [flowid, asking.flowid, signedFlow];
  const triggers = [api, timed, hook, sourced].map((each) => each.trigger_id);
  const rows = [live.a2aregistryid, build.a2aregistryid, asking.a2aregistryid];
  const known = {
    flowid: flows,
    flowId: flows,
    flow_id: [...flows, hook.trigger_id, sourced.trigger_id],
    webhookId: [sourced.webhookId],
    a2aregistryid: rows,
    registryId: [...rows, 'build-1'],
    expected_live: [...rows, 'none'],
    against: [...rows, 'live'],
    workspaceid: [caller.workspaceid],
    workspace_id: [caller.workspaceid],
    orgid: [caller.orgid],
    trigger_id: [...flows, ...triggers],
    workflow_id: runs,
    environment: ['live', 'test', 'uat', 'LIVE', 'prod'],
    name: ['crm'],
    id: [lost.triggerId],
    keyid: [caller.id],
    userid: [(await joinOrganization(caller.orgid, { role: 'owner' })).userid],
    invitationid: [deriveInvitationId((await invite({ orgid: caller.orgid })).email)],
    limit: ['1', '50', '200'],
    wait: ['0'],
  } satisfies KnownValues;
  return { known, tasks: [...runs, crypto.randomUUID()], signedFlow };
}

async function startRun({ key, workspaceid }: TestCaller, flowid: string): Promise<string> {
  const params = { workspace_id: workspaceid, trigger_id: flowid, environment: 'live' };
  return (await call('triggerFlow', { key, params, body: { message: 'hello' } })).body.workflow_id;
}

/** Made for requests that delete. */
async function expendable(caller: TestCaller): Promise<KnownValues> {
  const flowid = unique('flow');
  await newRow(caller, { flowid });
  const rows = await Promise.all(Array.from({ length: spares }, () => newRow(caller)));
  const owner = { ...caller, flowid };
  const triggers: DeclaredTrigger[] = [];
  // One after the other: they are written together with the item of their flow.
  for (let n = 0; n < spares; n += 1) triggers.push(await newTrigger(owner));
  const names = Array.from({ length: spares }, (_, n) => `spare_${n}`);
  await Promise.all(names.map((name) => putConnection(caller, name, bearer())));
  const body = { label: 'spare', scopes: ['audit:read'], workspaces: '*' };
  const keys = await Promise.all(names.map(() => call('createApiKey', { key: caller.key, body })));
  const members = await Promise.all(names.map(() => joinOrganization(caller.orgid)));
  const invited = await Promise.all(names.map(() => invite({ orgid: caller.orgid })));
  const create = async () => await call('createWorkspace', { key: caller.key, body: { name: 'spare' } });
  const workspaces = await Promise.all(names.map(create));
  return {
    userid: members.map((each) => each.userid),
    invitationid: invited.map(({ email }) => deriveInvitationId(email)),
    workspace_id: workspaces.map(({ body: { workspaceid } }) => workspaceid),
    a2aregistryid: rows.map((row) => row.a2aregistryid),
    trigger_id: triggers.map((each) => each.trigger_id),
    name: names,
    keyid: keys.map((each) => each.body.keyid),
    flow_id: [flowid],
    environment: ['dev'],
  };
}

async function signedEvents({ key, workspaceid }: TestCaller, flow_id: string): Promise<string> {
  const { body } = await call('setWebhookSecret', {
    key,
    params: { flow_id },
    query: { workspaceid },
    body: {},
  });
  if (body.secret === undefined) throw new Error('The secret was made by the service.');
  return body.secret;
}

const nowSeconds = () => Math.floor(Date.now() / 1_000);
const signature = `v1,${openSignature}`;

/**
 * Standard Webhooks: whole, in part, late, early, several signatures at once, of versions that are not ours.
 */
const signatures = fc
  .record(
    {
      'webhook-id': fc.oneof(
        fc.uuid(),
        fc.constantFrom('evt_1', 'x'.repeat(255), 'x'.repeat(256), 'a b', 'ü'),
      ),
      'webhook-timestamp': fc
        .constantFrom(0, -200, 200, -400, 400, Number.NaN, -1e12)
        .map((skew) => (Number.isNaN(skew) ? 'now' : String(nowSeconds() + skew))),
      'webhook-signature': fc.constantFrom(
        signature,
        `v1,AAAA ${signature}`,
        `v2,AAAA v1a,AAAA ${signature}`,
        `${signature} ${signature}`,
        'v1,AAAA',
        `v1, ${openSignature}`,
        openSignature,
        `v1a,${openSignature}`,
        'v1,',
        ',',
        `${'v1,AAAA '.repeat(200)}${signature}`,
      ),
    },
    { requiredKeys: [] },
  )
  .map((headers) => Object.entries(headers).map(([name, value]): [string, string] => [name, value ?? '']));
