// The requests of the callers in a soak, each with its weight. An unexpected response is reported to the
// ledger.
import { setTimeout } from 'node:timers/promises';
import * as z from 'zod';
import type { ClientRequestOptions, ClientResponse } from './client.ts';
import type { Acceptance, Ledger } from './ledger.ts';
import { registered, registryPath, type World } from './world.ts';

export interface Caller {
  readonly world: World;
  readonly ledger: Ledger;
  /** From 0 to 1. */
  readonly random: () => number;
}

interface LoadAction {
  readonly weight: number;
  readonly act: (caller: Caller) => Promise<void>;
}

const result = z.object({ workflow_id: z.string() });
const accepted = z.object({ triggerId: z.string() });
const refused = z.object({ code: z.literal('trigger_not_found') });
const task = z.object({ result: z.object({ task: z.object({ id: z.string() }) }) });

const loadActions: readonly LoadAction[] = [
  { weight: 3, act: (caller) => trigger(caller, caller.world.withEffects, completedWithEffects) },
  {
    weight: 3,
    act: (caller) => trigger(caller, caller.world.changing.flowid, { ends: 'completed', effects: 0 }),
  },
  { weight: 1, act: (caller) => trigger(caller, caller.world.failing, { ends: 'failed', effects: 0 }) },
  { weight: 2, act: start },
  { weight: 5, act: sendEvent },
  { weight: 2, act: sendEventAgain },
  { weight: 0.2, act: poison },
  { weight: 3, act: sendMessage },
  { weight: 4, act: read },
  { weight: 1, act: promote },
  { weight: 0.3, act: registerAndDelete },
  { weight: 0.5, act: ask404 },
];

export function pickAction(random: () => number): LoadAction['act'] {
  const all = loadActions.reduce((sum, { weight }) => sum + weight, 0);
  let left = random() * all;
  for (const { weight, act } of loadActions) {
    left -= weight;
    if (left < 0) return act;
  }
  return read;
}

type Outcome = Pick<Acceptance, 'ends' | 'effects'>;
const completedWithEffects: Outcome = { ends: 'completed', effects: 2 };

async function trigger(caller: Caller, flowid: string, outcome: Outcome): Promise<void> {
  const { workspaceid } = caller.world;
  const body = { message: 'Hello', user_variables: {} };
  const path = `/api/v1/ai/trigger/${workspaceid}/${flowid}/live`;
  const answer = await ask(caller, 200, path, { method: 'POST', body });
  if (answer) caller.ledger.accept({ id: result.parse(answer).workflow_id, ...outcome });
}

/** A background start; every other one is sent twice with the same Idempotency-Key. */
async function start(caller: Caller): Promise<void> {
  const { workspaceid, withEffects } = caller.world;
  const path = `/api/v1/ai/trigger/start/${workspaceid}/${withEffects}/live`;
  const headers = { 'idempotency-key': crypto.randomUUID() };
  const asked = { method: 'POST', body: { message: 'Hello', user_variables: {} }, headers };
  const answer = await ask(caller, 202, path, asked);
  if (!answer) return;
  const { workflow_id: id } = result.parse(answer);
  caller.ledger.accept({ id, ...completedWithEffects });
  if (caller.random() < 0.5) return;
  const second = result.safeParse(await ask(caller, 202, path, asked)).data;
  if (second && second.workflow_id !== id) caller.ledger.reportViolation(`One start has two runs: ${id}`);
}

async function sendEvent(caller: Caller): Promise<void> {
  const hasEffects = caller.random() < 0.7;
  const id = await postEvent(caller, hasEffects ? caller.world.withEffects : caller.world.failing);
  if (id === undefined) return;
  caller.ledger.accept({ id, ...(hasEffects ? completedWithEffects : { ends: 'failed', effects: 0 }) });
}

/** Sends the same event three times under one name, twice concurrently; it must be one run. */
async function sendEventAgain(caller: Caller): Promise<void> {
  const headers = { 'idempotency-key': crypto.randomUUID() };
  const send = () => postEvent(caller, caller.world.withEffects, headers);
  const ids = [...(await Promise.all([send(), send()])), await send()].filter((id) => id !== undefined);
  for (const id of ids) caller.ledger.accept({ id, ...completedWithEffects });
  if (new Set(ids).size > 1) caller.ledger.reportViolation(`One event has several runs: ${ids.join(', ')}`);
}

/** The id of its run; undefined if it is refused, which is reported unless it is expected. */
async function postEvent(
  caller: Caller,
  flowid: string,
  headers: ClientRequestOptions['headers'] = {},
  expected: readonly number[] = [202],
) {
  const body = { event: 'order.paid', data: { order: 1042 } };
  const path = `/api/triggers/webhook/${flowid}`;
  const answer = await ask(caller, expected, path, { method: 'POST', body, headers });
  if (answer === undefined || refused.safeParse(answer).success) return undefined;
  return accepted.parse(answer).triggerId;
}

/**
 * An event for a flow whose live build is deleted once it is known to the webhook, which remembers it for ten seconds. If
 * the run before has waited longer for a worker, the event is refused.
 */
async function poison(caller: Caller): Promise<void> {
  const flowid = `flow_${crypto.randomUUID().slice(0, 8)}`;
  const build = await caller.world.newAgent(flowid);
  const first = await postEvent(caller, flowid);
  if (first === undefined) return;
  caller.ledger.accept({ id: first, ends: 'completed', effects: 0 });
  await waitForEnd(caller, first);
  await ask(caller, 204, `${registryPath}/${build}`, { method: 'DELETE' });
  const second = await postEvent(caller, flowid, {}, [202, 404]);
  if (second !== undefined) caller.ledger.accept({ id: second, ends: 'dead letter', effects: 0 });
}

const pollMs = 50;
const state = z.object({ status: z.string() });

async function waitForEnd({ world }: Caller, id: string): Promise<void> {
  for (;;) {
    const { status, text } = await world.client.ask(`/api/v1/ai/trigger/status/${world.workspaceid}/${id}`);
    if (status === 200 && state.parse(JSON.parse(text)).status !== 'pending') return;
    await setTimeout(pollMs);
  }
}

async function sendMessage(caller: Caller): Promise<void> {
  const message = { messageId: crypto.randomUUID(), role: 'ROLE_USER', parts: [{ text: 'Hello' }] };
  const body = { jsonrpc: '2.0', id: 1, method: 'SendMessage', params: { message } };
  const headers = { 'a2a-version': '1.0' };
  const path = `/api/v1/ai/a2a/${caller.world.withEffects}`;
  const answer = await ask(caller, 200, path, { method: 'POST', body, headers });
  if (answer) caller.ledger.accept({ id: task.parse(answer).result.task.id, ...completedWithEffects });
}

async function read(caller: Caller): Promise<void> {
  const { workspaceid, changing, answering } = caller.world;
  const [build = ''] = changing.builds;
  const paths = [
    `${registryPath}?workspaceid=${workspaceid}`,
    `${registryPath}?workspaceid=${workspaceid}&status=live&tag=none`,
    `${registryPath}/${build}?flow=true`,
    `${registryPath}/search?q=soak`,
    `/api/v1/ai/a2a/${answering}/.well-known/agent-card.json`,
    '/api/v1/dead-letters?workspaceid='.concat(workspaceid),
  ];
  const path = paths[Math.floor(caller.random() * paths.length)] ?? '/health';
  await ask(caller, 200, path);
}

/** A promotion that loses against a concurrent one answers 409. */
async function promote(caller: Caller): Promise<void> {
  const { builds } = caller.world.changing;
  const build = builds[Math.floor(caller.random() * builds.length)];
  await ask(caller, [200, 409], `${registryPath}/${build}/promote-live`, { method: 'PUT' });
}

async function registerAndDelete(caller: Caller): Promise<void> {
  const build = await registered(caller.world.client, caller.world.changing.flowid);
  await ask(caller, 204, `${registryPath}/${build}`, { method: 'DELETE' });
}

async function ask404(caller: Caller): Promise<void> {
  await ask(caller, 404, `${registryPath}/reg_00000000000000000000000000`);
}

/** The answer as JSON; undefined when the response is unexpected, which is reported. */
async function ask(
  { world, ledger }: Caller,
  expected: number | readonly number[],
  path: string,
  asked: ClientRequestOptions = {},
): Promise<unknown> {
  const { status, text }: ClientResponse = await world.client.ask(path, asked);
  if ([expected].flat().includes(status)) return text.trim() === '' ? {} : JSON.parse(text);
  ledger.reportViolation(`${asked.method ?? 'GET'} ${path} answered ${status}: ${text.slice(0, 500)}`);
  return undefined;
}
