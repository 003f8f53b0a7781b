// `agent-flow fork` with a service: a run begins at a node of another one.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newRunId } from '#lib/ids.ts';
import { newCaller } from '#test/support/caller.ts';
import { idle } from '#test/support/control.ts';
import { newUserHome, type UserHome } from '#test/support/flow-command.ts';
import { detail, newBuild, ordered, priced } from '#test/support/forks.ts';

let home: UserHome;
beforeAll(async () => {
  home = await newUserHome();
});
afterAll(() => home.remove());

describe.concurrent('a run that has failed', () => {
  test('continues at the node by a corrected build, with values of the command line', async () => {
    const { agent, workflow_id } = await ordered();
    await newBuild(agent, priced, { draft: '' });
    const given = ['--output', 'size=S', '--output', 'each:=[6]', '--state', 'draft=A blue shirt.'];
    const forking = ['fork', workflow_id, '--from', 'price', ...given, '--json'];
    const { code, json } = await home.as(agent, ...forking);
    const { workflow_id: id, ...body } = json();
    expect([code, body]).toEqual([
      0,
      expect.objectContaining({ status: 'pending', fork_of: workflow_id, fork_from: 'price.1' }),
    ]);
    await idle();
    expect((await detail(agent, String(id))).response).toEqual({
      text: 'A blue shirt.',
      size: 'S',
      list: [6],
    });
  });

  test('is followed to its end, whose status is the exit code', async () => {
    const { agent, workflow_id } = await ordered();
    const from = ['fork', workflow_id, '--from', 'price', '--follow'];
    expect((await home.as(agent, ...from)).code).toBe(1);
    await newBuild(agent, priced, { draft: '' });
    expect((await home.as(agent, ...from, '--build', `${agent.flowid}@latest`)).code).toBe(0);
    expect((await home.as(agent, ...from, '--build', `${agent.flowid}@1`)).code).toBe(1);
  });
});

describe.concurrent('exit codes', () => {
  test('2 without a node', async () => {
    const { code, printed } = await home.as(await newCaller(), 'fork', newRunId());
    expect([code, printed]).toEqual([2, expect.stringContaining('--from <node>')]);
  });

  test('3 for a key without `runs:inspect`', async () => {
    const { agent, workflow_id } = await ordered();
    const scopes = ['assistants.flows:read', 'assistants.flows:run'] as const;
    const starter = await newCaller({ orgid: agent.orgid, workspaces: [agent.workspaceid], scopes });
    expect((await home.as(starter, 'fork', workflow_id, '--from', 'price')).code).toBe(3);
  });

  test('4 for a run of another organisation, as for a missing one', async () => {
    const { workflow_id } = await ordered();
    const caller = await newCaller();
    const [foreign, missing] = await Promise.all(
      [workflow_id, newRunId()].map((id) => home.as(caller, 'fork', id, '--from', 'price')),
    );
    for (const ran of [foreign, missing])
      expect(ran).toMatchObject({ code: 4, printed: expect.stringContaining('There is no such run.') });
  });
});
