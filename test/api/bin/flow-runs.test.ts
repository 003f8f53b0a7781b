// `agent-flow runs`: who began runs, and which of them repeat or fork one; and what a command says of a missing run.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newRunId } from '#lib/ids.ts';
import { agentUrls, newMessage, rpc } from '#test/support/a2a.ts';
import { newCaller } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';
import { idle } from '#test/support/control.ts';
import { newUserHome, type UserHome } from '#test/support/flow-command.ts';
import { liveAgent } from '#test/support/flows.ts';
import { fork, ordered } from '#test/support/forks.ts';
import { startedRun } from '#test/support/run-calls.ts';

let home: UserHome;
beforeAll(async () => {
  home = await newUserHome();
});
afterAll(() => home.remove());

const found = async (...args: Parameters<UserHome['as']>): Promise<string[]> =>
  (await home.as(...args, '--json'))
    .json()
    .items.map(({ workflow_id }: { readonly workflow_id: string }) => workflow_id);

describe.concurrent('runs', () => {
  test('are listed with their callers, of whom those of another organisation have no name', async () => {
    const [agent, stranger] = [await liveAgent({ visibility: 'public' }), await newCaller()];
    const own = await startedRun(agent);
    await rpc(agentUrls(agent).live, stranger.key, 'SendMessage', { message: newMessage('Hi') });
    await idle();
    const { output } = await home.as(agent, 'runs');
    const [head, ...lines] = output.trim().split('\n');
    expect(head).toMatch(/ENVIRONMENT +CALLER +ID$/);
    expect(lines).toEqual([
      expect.stringMatching(/live +another organisation +[\w-]+$/),
      expect.stringMatching(new RegExp(`live +${agent.id} +${own}$`)),
    ]);
    expect(output).not.toContain(stranger.id);
    expect(await found(agent, 'runs', '--created-by', agent.id)).toEqual([own]);
    expect(await found(agent, 'runs', '--created-by', stranger.id)).toEqual([]);
  });

  test('that repeat or fork a run are found by it', async () => {
    const { agent, workflow_id } = await ordered();
    const replay = await call('replayRun', { key: agent.key, params: { workflow_id }, body: {} });
    const forked = await fork(agent, workflow_id, { from: 'each' });
    expect(await found(agent, 'runs', '--replay-of', workflow_id)).toEqual([replay.body.workflow_id]);
    expect(await found(agent, 'runs', '--fork-of', workflow_id)).toEqual([forked.body.workflow_id]);
    expect(await found(await newCaller(), 'runs', '--fork-of', workflow_id)).toEqual([]);
  });

  test('are not looked for by what is no id: 4, with the mistake', async () => {
    const { code, printed } = await home.as(await newCaller(), 'runs', '--replay-of', 'nope');
    expect([code, printed]).toEqual([4, expect.stringContaining('/query/replay_of: must be a UUID')]);
  });
});

test('a missing run ends a command with 4, whose advice for people and programs is not to try again', async () => {
  const [caller, id] = [await newCaller(), newRunId()];
  const { code, printed } = await home.as(caller, 'logs', id);
  expect([code, printed]).toEqual([
    4,
    expect.stringContaining('\nTry again: no, unless its event was accepted'),
  ]);
  const { error } = JSON.parse((await home.as(caller, 'logs', id, '--json')).printed);
  expect(error).toMatchObject({ code: 'run_not_found', retry: false });
  expect(error).not.toHaveProperty('retry_after_seconds');
});

describe.concurrent('a group of commands without one of them', () => {
  test.each([[], ['members'], ['keys'], ['connections'], ['budgets'], ['dead-letters']])(
    'ends with 2, and its help is on stderr: %j',
    async (...args: string[]) => {
      const { code, output, printed } = await home.as(await newCaller(), ...args);
      expect([code, output]).toEqual([2, '']);
      expect(printed).toContain(`Usage: ${['agent-flow', ...args].join(' ')} `);
      expect(printed).toContain('A command is missing');
    },
  );

  test('of which --help is asked ends with 0', async () => {
    const { code, output } = await home.as(await newCaller(), 'members', '--help');
    expect([code, output]).toEqual([0, expect.stringContaining('invite <email>')]);
  });
});
