// Several questions of one run that are open at once, and answers that meet.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { asked, asking } from '#test/support/asking-runs.ts';
import { flow } from '#test/support/builders.ts';
import { idle } from '#test/support/control.ts';
import { buildEvent, invokeHere } from '#test/support/invocation.ts';
import { resumeRun, runState } from '#test/support/run-calls.ts';
import { startUpstream, type Upstream } from '#test/support/upstream.ts';

let upstream: Upstream;
beforeAll(async () => {
  upstream = await startUpstream();
});
afterAll(() => upstream.close());

describe('202', () => {
  test('each of several questions is answered by its id', async () => {
    const branch = (id: string, prompt: string) => ({ start: id, nodes: { [id]: { type: 'ask', prompt } } });
    const { agent, id } = await asked({
      flow: flow({
        start: 'both',
        nodes: {
          both: {
            type: 'parallel',
            branches: { one: branch('first', 'One?'), two: branch('second', 'Two?') },
            next: 'done',
          },
          done: { type: 'end', output: { both: '{{ nodes.both }}' } },
        },
      }),
    });
    const [one, two] = (await runState(agent, id)).input_requests ?? [];
    expect([one?.prompt, two?.prompt]).toEqual(['One?', 'Two?']);
    expect((await resumeRun(agent, id, { answer: 1 })).problem.errors?.[0]?.pointer).toBe('/body/id');
    await resumeRun(agent, id, { answer: 2, id: two?.id });
    await idle();
    expect((await runState(agent, id)).input_requests?.map(({ prompt }) => prompt)).toEqual(['One?']);
    await resumeRun(agent, id, { answer: 1, id: one?.id });
    await idle();
    expect((await runState(agent, id)).response).toEqual({ both: { one: 1, two: 2 } });
  });

  test('an answer that arrives while another one is processed waits for that, and takes effect then', async () => {
    const { agent, id, one, two, gate } = await asking(upstream);
    await resumeRun(agent, id, { id: one, answer: 1 });
    await upstream.arrived(gate);
    const second = resumeRun(agent, id, { id: two, answer: 2 });
    upstream.open(gate);
    expect((await second).status).toBe(202);
    await idle();
    expect((await runState(agent, id)).response).toEqual({ two: 2 });
  });

  test('concurrent answers to different questions all take effect', async () => {
    const body = { start: 'sure', nodes: { sure: { type: 'ask', prompt: 'Publish {{ item }}?' } } };
    const each = { type: 'map', items: [0, 1, 2, 3], body, next: 'done' };
    const done = { type: 'end', output: { all: '{{ nodes.each }}' } };
    const { agent, id } = await asked({ flow: flow({ start: 'each', nodes: { each, done } }) });
    const requests = (await runState(agent, id)).input_requests ?? [];
    const answers = await Promise.all(
      requests.map((request, n) => resumeRun(agent, id, { id: request.id, answer: n })),
    );
    expect(answers.map(({ status }) => status)).toEqual([202, 202, 202, 202]);
    await idle();
    expect((await runState(agent, id)).response).toEqual({ all: [0, 1, 2, 3] });
  });

  test('a repeated answer changes nothing after other answers', async () => {
    const { agent, id, one, two, gate } = await asking(upstream);
    await resumeRun(agent, id, { id: two, answer: 2 });
    await idle();
    expect((await resumeRun(agent, id, { id: two, answer: 2 })).status).toBe(202);
    upstream.open(gate);
    await resumeRun(agent, id, { id: one, answer: 1 });
    expect((await resumeRun(agent, id, { id: two, answer: 2 })).status).toBe(202);
    await idle();
    expect((await runState(agent, id)).response).toEqual({ two: 2 });
  });
});

describe('409', () => {
  test('an answer that cannot wait until another one is processed is asked to retry', async () => {
    const { agent, id, one, two, gate } = await asking(upstream);
    await resumeRun(agent, id, { id: one, answer: 1 });
    await upstream.arrived(gate);
    const { handler } = await import('#functions/run/resume.ts');
    const params = { workspace_id: agent.workspaceid, workflow_id: id };
    const event = buildEvent('run/resume', { key: agent.key, params, body: { id: two, answer: 2 } });
    const { statusCode, headers, body } = await invokeHere(handler, event, 2_100);
    expect({ statusCode, code: body.code }).toEqual({ statusCode: 409, code: 'run_busy' });
    expect(Number(headers['retry-after'])).toBeGreaterThan(0);
    upstream.open(gate);
    expect((await resumeRun(agent, id, { id: two, answer: 2 })).status).toBe(202);
  });

  test('an answer to no open question, or without an id, is refused without waiting for another one', async () => {
    const { agent, id, one, gate } = await asking(upstream);
    await resumeRun(agent, id, { id: one, answer: 1 });
    await upstream.arrived(gate);
    for (const body of [{ answer: 2 }, { id: one, answer: 2 }, { id: 'other.1', answer: 2 }])
      expect((await resumeRun(agent, id, body)).problem.code).toBe('run_not_waiting');
    upstream.open(gate);
  });
});
