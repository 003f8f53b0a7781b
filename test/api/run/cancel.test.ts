import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newRunId } from '#lib/ids.ts';
import { newCaller, unique } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';
import { idle } from '#test/support/control.ts';
import { askingFlow, callingFlow, liveAgent } from '#test/support/flows.ts';
import { cancelRun, runState, startedRun } from '#test/support/run-calls.ts';
import { startUpstream, type Upstream } from '#test/support/upstream.ts';

let upstream: Upstream;
beforeAll(async () => {
  upstream = await startUpstream();
});
afterAll(() => upstream.close());

describe('200', () => {
  test('a run in progress is canceled, its call is aborted, and no other node runs', async () => {
    const [gate, after] = [unique('gate'), unique('after')];
    const agent = await liveAgent({ flow: callingFlow(upstream, [`gate/${gate}`, `count/${after}`]) });
    const id = await startedRun(agent);
    await upstream.arrived(gate);
    expect((await cancelRun(agent, id)).body).toMatchObject({
      status: 'canceled',
      response: {},
      error: null,
    });
    await upstream.abandoned(gate);
    await idle();
    expect(upstream.calls(after)).toBe(0);
    const { status, logs } = await runState(agent, id);
    expect(status).toBe('canceled');
    const numbers = logs.map(({ seq }) => seq);
    expect(numbers).toEqual(numbers.map((_, n) => n + 1));
    expect(logs.at(-1)).toMatchObject({ event: 'run_canceled', level: 'info', status: 'failed' });
  });

  test('the node at which a run was canceled is no longer reported as running', async () => {
    const agent = await liveAgent({ flow: askingFlow() });
    const id = await startedRun(agent);
    await idle();
    await cancelRun(agent, id);
    const { body } = await call('getRunDetail', { key: agent.key, params: { workflow_id: id } });
    expect(body.path).toMatchObject([
      { node_id: 'sure', status: 'canceled', duration_ms: expect.any(Number) },
    ]);
  });

  test('canceling again returns the canceled run', async () => {
    const agent = await liveAgent({ flow: askingFlow() });
    const id = await startedRun(agent);
    await idle();
    const first = await cancelRun(agent, id);
    expect(first.body.status).toBe('canceled');
    expect(first.body.requires_input).toBe(false);
    expect((await cancelRun(agent, id)).body).toEqual(first.body);
  });
});

describe('404', () => {
  test('a missing run and one of another organisation give the same error', async () => {
    const agent = await liveAgent();
    const id = await startedRun(agent);
    const stranger = await newCaller();
    const foreign = (await cancelRun({ ...agent, key: stranger.key }, id)).problem;
    const missing = (await cancelRun(agent, newRunId())).problem;
    expect(foreign.code).toBe('run_not_found');
    expect({ ...foreign, instance: '' }).toEqual({ ...missing, instance: '' });
  });
});

describe('409', () => {
  test('a run that has already ended does not change', async () => {
    const agent = await liveAgent();
    const id = await startedRun(agent);
    await idle();
    expect((await cancelRun(agent, id)).problem.code).toBe('run_over');
    expect((await runState(agent, id)).status).toBe('completed');
  });
});
