// The acts of the demo: register, try, promote, call, trigger, post an event, see the run.
import { setTimeout } from 'node:timers/promises';
import * as z from 'zod';
import { liveRegistryRow } from '#lib/registry/live/live-row.ts';
import { type RegistryRow, registryRow } from '#lib/registry/row.ts';
import { type RunState, runResult, runState } from '#lib/run/result.ts';
import type { Seed } from '../seed.ts';
import { ask, connect, streamQuestion } from './agent.ts';
import { caller } from './call.ts';
import { question, sent, show, showRun, showTask, step } from './print.ts';

export interface Stage extends Seed {
  readonly baseUrl: string;
}

export async function perform(stage: Stage): Promise<void> {
  const { flowid, workspaceid, registryId, apiKey } = stage;
  const call = caller(stage);
  step(1, 'Register a second build of the flow');
  const first = await call(`GET /api/v1/a2a-registry/${registryId}?flow=true`, registryRow.strip());
  const second = await call(
    `POST /api/v1/a2a-registry?workspaceid=${workspaceid}`,
    registryRow,
    nextBuild(first),
  );
  show(
    'row',
    pick(second, ['a2aregistryid', 'build_no', 'flow_version', 'status', 'visibility', 'hosted_url']),
  );

  step(2, 'Call the new build at its test URL, with the official A2A client');
  showTask(await ask(await connect(second.card_url, apiKey)));

  step(3, 'Promote it to live');
  const live = await call(`PUT /api/v1/a2a-registry/${second.a2aregistryid}/promote-live`, liveRegistryRow);
  show('row', pick(live, ['a2aregistryid', 'build_no', 'status', 'hosted_url']));

  step(4, 'See the former live build back at test');
  const former = await call(`GET /api/v1/a2a-registry/${registryId}`, registryRow);
  show('row', pick(former, ['a2aregistryid', 'build_no', 'status', 'hosted_url']));

  step(5, 'Call the live URL, with the official A2A client, streaming');
  await streamQuestion(await connect(live.card_url, apiKey));

  step(6, 'Run the synchronous trigger');
  const result = await call(`POST /api/v1/ai/trigger/${workspaceid}/${flowid}/live`, runResult, {
    message: question,
    user_variables: {},
  });
  showRun(result);

  step(7, 'Post a webhook event');
  const event = { event: 'message.received', data: { text: 'I want my money back for order 1044' } };
  const accepted = await call(
    `POST /api/triggers/webhook/${flowid}`,
    z.object({ status: z.string(), triggerId: z.string() }),
    event,
  );
  show('answer', accepted);

  step(8, 'See the finished run');
  showRun(await finished(stage, accepted.triggerId));
  console.log('\nThat is the main job. The same calls work with curl: see README.md.');
}

/** What changes from the first build to the second: its version, and a friendlier answer. */
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

const pick = (row: RegistryRow, names: readonly (keyof RegistryRow)[]) =>
  Object.fromEntries(names.map((name) => [name, row[name]]));

async function finished(stage: Stage, id: string): Promise<RunState> {
  const path = `/api/v1/ai/trigger/status/${stage.workspaceid}/${id}`;
  sent(`GET ${path} (until it has ended)`);
  for (let tries = 0; tries < 100; tries += 1) {
    const response = await fetch(`${stage.baseUrl}${path}`, { headers: { 'x-api-key': stage.apiKey } });
    const state = response.ok ? runState.parse(await response.json()) : undefined;
    if (state && state.status !== 'pending') return state;
    await setTimeout(100);
  }
  throw new Error(`The run ${id} has not ended within 10 s.`);
}
