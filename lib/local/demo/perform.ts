// The steps of the demo: register, test, promote, call, trigger, post an event, read the run.
import { setTimeout } from 'node:timers/promises';
import * as z from 'zod';
import { built } from '#lib/json/built-schema.ts';
import { liveRegistryRow, type RegistryRow, registryRow } from '#lib/registry/row/row.ts';
import { type RunState, runResult, runState } from '#lib/run/result.ts';
import type { Seed } from '../seed.ts';
import { ask, connect, streamQuestion } from './agent.ts';
import { question, received, sent, show, showRun, showTask, stateName, step } from './print.ts';

export interface Stage extends Seed {
  readonly baseUrl: string;
}

/** Rejects at the first unexpected result. Afterwards the service has the build live that it had before. */
export async function perform(stage: Stage): Promise<void> {
  const former = await liveBuild(stage);
  const next = await registerNext(stage, former);
  try {
    await showSteps(stage, former, next);
  } finally {
    await cleanUp(stage, former, next);
  }
}

async function showSteps(stage: Stage, former: RegistryRow, next: RegistryRow): Promise<void> {
  const live = await replaceLiveBuild(stage, former, next);
  step(5, 'Call the live URL, with the official A2A client, streaming');
  must('task', await streamQuestion(await connect(live.card_url, stage.apiKey)), 'TASK_STATE_COMPLETED');
  await trigger(stage);
  console.log('\nThat is the main use. docs/api-guide.md has the same calls with curl.');
}

async function registerNext(stage: Stage, former: RegistryRow): Promise<RegistryRow> {
  step(1, 'Register another build of the flow');
  const path = `/api/v1/a2a-registry?workspaceid=${stage.workspaceid}`;
  const next = await caller(stage)(`POST ${path}`, registryRow, nextBuild(former));
  showRow(next, 'test', ['flow_version', 'visibility']);
  return next;
}

/** The requests are no part of what is shown. A build of the demo that somebody uses meanwhile is left alone. */
async function cleanUp({ baseUrl, apiKey }: Stage, former: RegistryRow, next: RegistryRow): Promise<void> {
  const row = (id: string) => `${baseUrl}/api/v1/a2a-registry/${id}`;
  const headers = { 'x-api-key': apiKey };
  const query = new URLSearchParams({ expected_live: next.a2aregistryid });
  const promote = `${row(former.a2aregistryid)}/promote-live?${query}`;
  const restored = await fetch(promote, { method: 'PUT', headers });
  const removed = await fetch(row(next.a2aregistryid), { method: 'DELETE', headers });
  const isClean = restored.ok && removed.ok;
  const left = `Build ${next.build_no} of the demo could not be removed: see ${row(next.a2aregistryid)}`;
  console.log(isClean ? `\nCleaned up: build ${former.build_no} is live again, as before.` : `\n${left}`);
}

async function replaceLiveBuild(stage: Stage, former: RegistryRow, next: RegistryRow): Promise<RegistryRow> {
  const { apiKey } = stage;
  const call = caller(stage);
  step(2, 'Call the new build at its test URL, with the official A2A client');
  const task = await ask(await connect(next.card_url, apiKey));
  showTask(task);
  must('task', stateName(task.status?.state), 'TASK_STATE_COMPLETED');

  step(3, 'Promote it to live');
  const live = await call(`PUT /api/v1/a2a-registry/${next.a2aregistryid}/promote-live`, liveRegistryRow);
  showRow(live, 'live');

  step(4, 'See the former live build back at test');
  showRow(await call(`GET /api/v1/a2a-registry/${former.a2aregistryid}`, registryRow), 'test');
  return live;
}

async function trigger(stage: Stage): Promise<void> {
  const { flowid, workspaceid } = stage;
  const call = caller(stage);
  step(6, 'Run the synchronous trigger');
  const input = { message: question, user_variables: {} };
  const result = await call(`POST /api/v1/ai/trigger/${workspaceid}/${flowid}/live`, runResult, input);
  showRun(result);
  must('run', result.status, 'completed');

  step(7, 'Post a webhook event');
  const event = { event: 'message.received', data: { text: 'I want my money back for order 1044' } };
  const accepted = await call(`POST /api/triggers/webhook/${flowid}`, acceptedEvent, event);
  show('answer', accepted);
  must('event', accepted.status, 'accepted');

  step(8, 'See the finished run');
  const run = await waitForEnd(stage, accepted.triggerId);
  showRun(run);
  must('run', run.status, 'completed');
}

/** Sends a request to the management API or to a trigger, and shows it and its status. */
const caller =
  (stage: Stage) =>
  async <S extends z.ZodType>(request: string, schema: S, body?: object): Promise<z.output<S>> => {
    const [method = 'GET', path = '/'] = request.split(' ');
    sent(request);
    if (body) show('body', body);
    const isWebhook = path.startsWith('/api/triggers/');
    const response = await fetch(`${stage.baseUrl}${path}`, {
      method,
      headers: {
        ...(isWebhook ? { authorization: `Bearer ${stage.apiKey}` } : { 'x-api-key': stage.apiKey }),
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    received(response.status);
    if (!response.ok) throw new Error(`${request} answered ${response.status}: ${text}`);
    return schema.parse(JSON.parse(text));
  };

const page = z.object({ items: z.array(registryRow) });
const acceptedEvent = z.object({ status: z.string(), triggerId: z.string() });

/** The build that is live now, with its flow; it may have changed since the service started. */
async function liveBuild(stage: Stage): Promise<RegistryRow> {
  const { flowid, workspaceid } = stage;
  const call = caller(stage);
  const query = new URLSearchParams({ workspaceid, flowid, status: 'live' });
  const [live] = (await call(`GET /api/v1/a2a-registry?${query}`, page)).items;
  if (!live) throw new Error(`No build of ${flowid} is live: promote one, or start the service again.`);
  return await call(`GET /api/v1/a2a-registry/${live.a2aregistryid}?flow=true`, built(registryRow).strip());
}

/** Shows the row and checks its status. */
function showRow(
  row: RegistryRow,
  status: RegistryRow['status'],
  more: readonly (keyof RegistryRow)[] = [],
): void {
  const names = ['a2aregistryid', 'build_no', ...more, 'status', 'hosted_url'] as const;
  show('row', Object.fromEntries(names.map((name) => [name, row[name]])));
  must(`build ${row.build_no}`, row.status, status);
}

function must(what: string, is: string | undefined, expected: string): void {
  if (is !== expected) throw new Error(`The ${what} is ${is ?? 'nothing'}; ${expected} was expected.`);
}

/** The next build differs from the previous one in its version and its greeting. */
function nextBuild(row: RegistryRow): object {
  const { name, description, skills } = row.agent_card;
  return {
    flowid: row.flowid,
    flow_version: '2.0.0',
    visibility: row.visibility,
    agent_card: { name, description, skills, tags: row.tags },
    flow: JSON.parse(JSON.stringify(row.flow).replaceAll('Hello', 'Good day')),
  };
}

async function waitForEnd(stage: Stage, id: string): Promise<RunState> {
  const path = `/api/v1/ai/trigger/status/${stage.workspaceid}/${id}`;
  sent(`GET ${path} (until it has ended)`);
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const response = await fetch(`${stage.baseUrl}${path}`, { headers: { 'x-api-key': stage.apiKey } });
    const state = response.ok ? runState.parse(await response.json()) : undefined;
    if (state && state.status !== 'pending') return state;
    await setTimeout(100);
  }
  throw new Error(`The run ${id} has not ended within 10 s.`);
}
