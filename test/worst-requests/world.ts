// An organisation whose rows, triggers, runs and connections are as large as they may be, so that reading
// them costs what it may.
import * as z from 'zod';
import { queryMembers } from '#lib/member/member-items.ts';
import { createNotificationTarget } from '#lib/run/task-notification.ts';
import { queryInvitationsOf } from '#lib/session/invitation-items.ts';
import { insertWorkspace } from '#lib/workspace/workspace-items.ts';
import { newCaller, type TestCaller, unique } from '#test/support/caller.ts';
import { invite, joinOrganization } from '#test/support/person.ts';
import {
  askingFlow,
  checkingFlow,
  costlyFlows,
  largeAnswer,
  largestCard,
  smallCard,
  testedFlow,
} from './flows.ts';
import { measuredSecret, measuredSource, measuredTopic } from './webhook-cases.ts';

export interface World {
  readonly caller: TestCaller;
  /** Values for paths and queries, by name. */
  readonly known: Readonly<Record<string, string>>;
  readonly rows: Readonly<Record<'large' | 'other' | 'tested' | 'checking' | 'answering', string>>;
  readonly flowids: Readonly<Record<'checking' | 'small' | 'large', string>>;
  readonly asked: string;
  /** Of a task of that run. */
  readonly notificationToken: string;
}

const created = z.looseObject({ a2aregistryid: z.string() });
const state = z.looseObject({ workflow_id: z.string() });
const key = z.looseObject({ keyid: z.string() });
const webhook = z.looseObject({ trigger_id: z.string(), webhook_url: z.string() });
/** More than fit into one answer of Lambda, were there no pages. */
const largeRows = 40;
const triggers = 66;
/** More than the largest page may hold, and of more bytes than any page may have. */
const connections = 220;
const atOnce = 20;

export async function newWorld(baseUrl: string): Promise<World> {
  const caller = await newCaller();
  const ask = async (method: string, target: string, body?: unknown): Promise<unknown> => {
    const response = await fetch(baseUrl + target, {
      method,
      headers: { 'x-api-key': caller.key, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${target}: ${response.status} ${text.slice(0, 400)}`);
    return text === '' ? undefined : JSON.parse(text);
  };
  const inWorkspace = `workspaceid=${caller.workspaceid}`;
  const register = async (flowid: string, flow: unknown, some: object = {}) => {
    const body = { flowid, agent_card: smallCard, flow, ...some };
    const row = created.parse(await ask('POST', `/api/v1/a2a-registry?${inWorkspace}`, body));
    return row.a2aregistryid;
  };
  const live = async (id: string) => await ask('PUT', `/api/v1/a2a-registry/${id}/promote-live`);
  const small = { version: 1, name: 'x', start: 'done', nodes: { done: { type: 'end', output: {} } } };
  const flowids = { checking: unique('flow'), small: unique('flow'), large: unique('flow') };
  const heavy = {
    agent_card: largestCard,
    tool_config: { text: '"'.repeat(49_000) },
    env_variable: { A: '"'.repeat(4_096) },
  };
  const large = await register(flowids.large, costlyFlows['text of 2 MB'], {
    ...heavy,
    visibility: 'public',
  });
  const other = await register(flowids.large, costlyFlows['text of 2 MB'], heavy);
  await live(large);
  for (let n = 0; n < largeRows; n += 1) {
    const id = await register(unique('flow'), small, { ...heavy, visibility: 'public' });
    await live(id);
  }
  const tested = await register(unique('flow'), testedFlow);
  const checking = await register(flowids.checking, checkingFlow);
  await live(checking);
  const answering = await register(flowids.small, largeAnswer);
  await live(answering);
  const asking = unique('flow');
  await live(await register(asking, askingFlow));
  const run = async (flowid: string, body: object) =>
    state.parse(await ask('POST', `/api/v1/ai/trigger/${caller.workspaceid}/${flowid}/live`, body))
      .workflow_id;
  const done = await run(flowids.small, {
    message: '"'.repeat(30_000),
    user_variables: { text: '"'.repeat(60_000) },
  });
  const asked = await run(asking, { message: 'x' });
  for (let n = 0; n < triggers; n += 1)
    await ask('POST', `/api/v1/triggers?${inWorkspace}`, {
      trigger_id: `trg_${n}_${flowids.small}`,
      kind: 'api',
      flowid: flowids.small,
      message: '"'.repeat(32_700),
    });
  const hosts = Array.from({ length: 50 }, (_, n) => `h${n}.${`${'x'.repeat(60)}.`.repeat(7)}example`);
  const connection = { type: 'http_bearer', hosts, credential: { token: 'x'.repeat(8_000) } };
  for (let n = 0; n < connections; n += atOnce)
    await Promise.all(
      Array.from({ length: atOnce }, (_, more) =>
        ask('PUT', `/api/v1/connections/c${n + more}?${inWorkspace}`, connection),
      ),
    );
  const workspaces = Array.from({ length: 50 }, (_, n) => `w${n}${'x'.repeat(40)}`);
  const made = key.parse(
    await ask('POST', '/api/v1/api-keys', { label: 'x'.repeat(100), scopes: ['audit:read'], workspaces }),
  );
  const env = Object.fromEntries(Array.from({ length: 12 }, (_, n) => [`V${n}`, '"'.repeat(2_000)]));
  for (const environment of ['test', 'dev', 'uat'])
    await ask('PUT', `/api/v1/environments/${environment}?${inWorkspace}`, { pins: {}, env });
  await ask('PUT', `/api/v1/callback-secret?${inWorkspace}`, {});
  await ask('PUT', `/api/v1/webhook-secrets/${flowids.large}?${inWorkspace}`, {});
  const webhookId = await newWebhook(ask, flowids.small, inWorkspace);
  const snsWebhookId = await newWebhook(ask, flowids.small, inWorkspace, measuredTopic);
  const notified = await createNotificationTarget(asked, { agent: 'https://agents.example/a', task_id: 't' });
  const { userid, invitationid } = await fillOrganization(caller);
  return {
    caller,
    rows: { large, other, tested, checking, answering },
    flowids,
    asked,
    notificationToken: notified.token.reveal(),
    known: {
      runId: asked,
      webhookId,
      snsWebhookId,
      notificationId: notified.id,
      workspaceid: caller.workspaceid,
      workspace_id: caller.workspaceid,
      a2aregistryid: large,
      registryId: large,
      flowId: flowids.large,
      flow_id: flowids.large,
      trigger_id: `trg_0_${flowids.small}`,
      environment: 'uat',
      workflow_id: done,
      keyid: made.keyid,
      userid,
      invitationid,
      name: 'c0',
      id: crypto.randomUUID(),
    },
  };
}

type Ask = (method: string, target: string, body?: unknown) => Promise<unknown>;

/** The address of a trigger with a source, whose secret is set. */
async function newWebhook(
  ask: Ask,
  flowid: string,
  inWorkspace: string,
  source: object = measuredSource,
): Promise<string> {
  const body = { kind: 'webhook', flowid, source };
  const made = webhook.parse(await ask('POST', `/api/v1/triggers?${inWorkspace}`, body));
  const secrets = `/api/v1/webhook-secrets/${made.trigger_id}?${inWorkspace}`;
  if (source === measuredSource) await ask('PUT', secrets, { secret: measuredSecret });
  return made.webhook_url.split('/').at(-1) ?? '';
}

/** More members, invitations and workspaces than a page holds, with as many and as long roles and names as there may be. */
async function fillOrganization({ orgid, id }: TestCaller) {
  const ids = Array.from({ length: 50 }, (_, n) => `w${n}`.padEnd(64, 'x'));
  const roles = Object.fromEntries(ids.map((each) => [each, 'operator'] as const));
  const at = new Date().toISOString();
  const by = { created_at: at, created_by: id, updated_at: at, updated_by: id };
  for (let n = 0; n < connections; n += atOnce)
    await Promise.all(
      Array.from({ length: atOnce }, async (_, more) => {
        const workspaceid = `v${n + more}`.padEnd(64, 'x');
        await insertWorkspace({ workspaceid, orgid, name: '"'.repeat(100), version: 1, ...by });
        await joinOrganization(orgid, { roles });
        await invite({ orgid, roles });
      }),
    );
  const [member] = await queryMembers(orgid, 1);
  const [invited] = await queryInvitationsOf(orgid, 1, undefined);
  if (!member || !invited) throw new Error('There are members and invitations.');
  return { userid: member.userid, invitationid: invited.invitationid };
}
