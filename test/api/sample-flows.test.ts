// Three sample flows as a team uses them, over HTTP: registered, promoted, started, answered at the resume
// route and over A2A, completed.
import { TaskState } from '@a2a-js/sdk';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { agentUrls, asTask, officialClient, sending } from '#test/support/a2a.ts';
import { newCaller } from '#test/support/caller.ts';
import { bearer, putConnection } from '#test/support/connections.ts';
import { idle } from '#test/support/control.ts';
import type { TestAgent } from '#test/support/flows.ts';
import { liveSample } from '#test/support/live-sample.ts';
import { resumeRun, runState, startedRun } from '#test/support/run-calls.ts';
import { type ServerProcess, startServer } from '#test/support/server-process.ts';
import { startUpstream, type Upstream } from '#test/support/upstream.ts';

let tickets: ServerProcess;
let cms: Upstream;
beforeAll(async () => {
  [tickets, cms] = await Promise.all([startServer('tickets'), startUpstream()]);
});
afterAll(async () => {
  tickets.stop();
  await cms.close();
});

/** Starts a run in the background and gives each answer to the question that is put then. */
async function talk(agent: TestAgent, message: string, ...answers: readonly string[]) {
  const id = await startedRun(agent, message);
  const asked: string[] = [];
  for (const answer of answers) {
    await idle();
    const [request] = (await runState(agent, id)).input_requests ?? [];
    if (request) asked.push(request.prompt);
    expect((await resumeRun(agent, id, { answer, id: request?.id })).status).toBe(202);
  }
  await idle();
  return { asked, state: await runState(agent, id) };
}

/** The same over A2A: each answer is a message with the id of the task. */
async function talkA2a(agent: TestAgent, message: string, ...answers: readonly string[]) {
  const client = await officialClient(agentUrls(agent).live, agent.key);
  let task = asTask(await client.sendMessage(sending(message)));
  const asked: string[] = [];
  for (const answer of answers) {
    expect(task.status?.state).toBe(TaskState.TASK_STATE_INPUT_REQUIRED);
    asked.push(JSON.stringify(task.status?.message?.parts));
    task = asTask(await client.sendMessage(sending(answer, { taskId: task.id })));
  }
  expect(task.status?.state).toBe(TaskState.TASK_STATE_COMPLETED);
  return { asked, result: JSON.stringify(task.artifacts) };
}

describe('ticket-agent, with an MCP server', () => {
  const ask = 'Find tickets about the printer, then close ticket 4711.';
  const live = async () => {
    const caller = await newCaller();
    await putConnection(caller, 'tickets', bearer('ticket-token', { hosts: [tickets.host] }));
    return await liveSample('ticket-agent', { places: { 'tickets.example.com': tickets.url }, caller });
  };
  const closed = async () => z.array(z.string()).parse(await (await fetch(`${tickets.url}/closed`)).json());

  test('finds tickets by itself, and closes each approved one once', async () => {
    const agent = await live();
    const before = await closed();
    const { asked, state } = await talk(agent, ask, 'approve');
    expect(asked).toEqual([expect.stringContaining('close_ticket')]);
    expect(asked[0]).toContain('{"ticket_id":"4711"}');
    expect(state).toMatchObject({ status: 'completed', response: { turns: 3 } });
    expect(await closed()).toEqual([...before, '4711']);
  });

  test('closes no ticket that is denied, over A2A', async () => {
    const agent = await live();
    const before = await closed();
    const { result } = await talkA2a(agent, ask, 'deny');
    expect(result).toContain('denied');
    expect(await closed()).toEqual(before);
  });
});

describe('press-release, with a human in the loop', () => {
  const live = () => liveSample('press-release', { places: { 'cms.example.com': `${cms.url}/count` } });
  const published = () => cms.calls('articles');

  test('is published once after changes', async () => {
    const before = published();
    const { asked, state } = await talk(
      await live(),
      'A shop opens in Bonn.',
      'change',
      'Say when.',
      'publish',
    );
    expect(asked).toEqual([
      expect.stringContaining('Publish this press release?'),
      'What should be different?',
      expect.stringContaining('Publish this press release?'),
    ]);
    expect(state).toMatchObject({ status: 'completed', response: { status: 'published' } });
    expect(published()).toBe(before + 1);
  });

  test('is discarded over A2A, and nothing is published', async () => {
    const before = published();
    const { result } = await talkA2a(await live(), 'A shop opens in Bonn.', 'discard');
    expect(result).toContain('"status":"discarded"');
    expect(published()).toBe(before);
  });
});

describe('damage-report, a form in several messages', () => {
  const form = { order_id: '10425', damage: 'broken', email: 'ada@example.com' };

  test('asks for missing fields, and refuses invalid ones', async () => {
    const agent = await liveSample('damage-report');
    const { asked, state } = await talk(agent, 'My lamp is broken.', form.order_id, form.email);
    expect(asked).toEqual([expect.stringContaining('Which order'), expect.stringContaining('e-mail')]);
    expect(state).toMatchObject({ status: 'completed', response: form });
    const id = await startedRun(agent, 'My lamp is broken.');
    await idle();
    const { problem } = await resumeRun(agent, id, { answer: 'the blue one' });
    expect(problem.errors?.[0]?.pointer).toBe('/body/answer');
  });

  test('is completed over A2A, message by message', async () => {
    const agent = await liveSample('damage-report');
    const { asked, result } = await talkA2a(agent, 'Order 10425 has damage.', form.damage, form.email);
    expect(asked[0]).toContain('What is wrong');
    expect(result).toContain(JSON.stringify(form.email));
  });
});
