// `agent-flow dead-letters` with a service.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newRunId } from '#lib/ids.ts';
import { flow, newRow, promoted } from '#test/support/builders.ts';
import { newCaller, type TestCaller, unique } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';
import { idle } from '#test/support/control.ts';
import { newUserHome, type UserHome } from '#test/support/flow-command.ts';
import { deliver, webhookMessage } from '#test/support/runs.ts';

let home: UserHome;
beforeAll(async () => {
  home = await newUserHome();
});
afterAll(() => home.remove());

/** Events that came before their flow had a live build. */
async function early(caller: TestCaller, flowid: string, times = 1): Promise<string[]> {
  const messages = Array.from({ length: times }, () =>
    webhookMessage({ ...caller, flowid, a2aregistryid: '' }),
  );
  for (const message of messages) await deliver(JSON.stringify(message));
  await idle();
  return messages.map(({ triggerId }) => triggerId);
}

const letters = (caller: TestCaller, ...args: string[]) => home.as(caller, 'dead-letters', ...args);

/** With the exit code 0. */
async function done(caller: TestCaller, ...args: string[]) {
  const ran = await letters(caller, ...args);
  expect(ran.code, ran.printed).toBe(0);
  return ran;
}

const listed = async (caller: TestCaller, ...args: string[]): Promise<string[]> => {
  const { json } = await done(caller, 'list', '--json', ...args);
  return json().items.map(({ id }: { readonly id: string }) => id);
};

const readStatus = async ({ key, workspaceid }: TestCaller, workflow_id: string) =>
  (await call('getRun', { key, params: { workspace_id: workspaceid, workflow_id } })).body.status;

describe.concurrent('dead letters', () => {
  test('are listed by flow, reason and time, and shown', async () => {
    const caller = await newCaller();
    const [flowid, other] = [unique('flow'), unique('flow')];
    const [[id = ''], [second = '']] = [await early(caller, flowid), await early(caller, other)];
    expect((await listed(caller)).sort()).toEqual([id, second].sort());
    expect(await listed(caller, '--flow', flowid)).toEqual([id]);
    expect(await listed(caller, '-n', '1')).toHaveLength(1);
    expect(await listed(caller, '--before', '2020-01-31T00:00:00Z')).toEqual([]);
    const shown = await done(caller, 'show', id);
    expect(shown.output).toMatch(new RegExp(`^id +${id}\n(.|\n)*^flowid +${flowid}$`, 'm'));
    const { reason } = (await done(caller, 'show', id, '--json')).json();
    expect(await listed(caller, '--reason', reason)).toContain(id);
    expect(await listed(caller, '--reason', `${reason} `)).toEqual([]);
    expect((await done(caller, 'list')).output).toMatch(
      new RegExp(`^FAILED LAST .*\n(.|\n)*${flowid} +\\d+ +- +${id} +\\w`),
    );
  });

  test('are redriven and dismissed by their ids', async () => {
    const caller = await newCaller();
    const flowid = unique('flow');
    const [id = '', other = ''] = await early(caller, flowid, 2);
    await promoted(caller, await newRow(caller, { flowid, flow: flow() }));
    expect((await done(caller, 'redrive', id)).output).toBe(`${id} is in the queue again.\n`);
    expect((await done(caller, 'dismiss', other, '--json')).json()).toEqual({ dismissed: other });
    await idle();
    expect(await readStatus(caller, id)).toBe('completed');
    expect(await listed(caller)).toEqual([]);
    expect((await done(caller, 'list')).printed).toContain('There are no such dead letters.');
    const again = await letters(caller, 'redrive', id, '--json');
    expect([again.code, JSON.parse(again.printed).error.code]).toEqual([4, 'run_over']);
  });

  test('are redriven and dismissed by a filter, however many there are', async () => {
    const caller = await newCaller();
    const [flowid, other] = [unique('flow'), unique('flow')];
    // A request looks at 25.
    await early(caller, flowid, 27);
    const [stays = ''] = await early(caller, other);
    expect((await done(caller, 'redrive', '--flow', flowid, '--json')).json()).toEqual({ done: 27 });
    await idle();
    expect((await done(caller, 'dismiss', '--flow', flowid)).output).toBe('27 dead letters are dismissed.\n');
    expect(await listed(caller, '-n', '100')).toEqual([stays]);
    expect((await done(caller, 'redrive', '--flow', other)).output).toBe(
      '1 dead letter is in the queue again.\n',
    );
  });

  test('of another organisation are not there', async () => {
    const caller = await newCaller();
    const [id = ''] = await early(caller, unique('flow'));
    const stranger = await newCaller({ workspaces: [caller.workspaceid] });
    expect(await listed(stranger)).toEqual([]);
    for (const command of ['show', 'redrive', 'dismiss'])
      expect((await letters(stranger, command, id)).code, command).toBe(4);
    expect(await listed(caller)).toEqual([id]);
  });
});

describe.concurrent('what is wrong is reported', () => {
  test.each([
    ['neither an id nor an option', ['redrive'], 'expected the id of a dead letter, or one of --flow'],
    [
      'both an id and an option',
      ['dismiss', newRunId(), '--flow', 'a'],
      'expected the id of a dead letter, or',
    ],
    ['a time that is none', ['list', '--before', 'monday'], 'Expected a time such as 2027-01-31T00:00:00Z.'],
    ['a number that is none', ['list', '-n', '0'], 'Expected a number, at least 1.'],
    ['no id', ['show'], "missing required argument 'id'"],
  ])('%s, before anything is done, with exit code 2', async (_what, args, text) => {
    const { code, printed } = await letters(await newCaller(), ...args);
    expect([code, printed]).toEqual([2, expect.stringContaining(text)]);
  });

  test('an id of no dead letter, with exit code 4', async () => {
    const caller = await newCaller();
    for (const command of ['show', 'redrive', 'dismiss']) {
      const { code, printed } = await letters(caller, command, newRunId(), '--json');
      expect([code, JSON.parse(printed).error.code], command).toEqual([4, 'dead_letter_not_found']);
    }
  });

  test('a value that the service refuses, with its field and exit code 4', async () => {
    const { code, printed } = await letters(await newCaller(), 'redrive', '--flow', 'no flow!');
    expect([code, printed]).toEqual([4, expect.stringContaining('/body/flowid: ')]);
  });

  test('a key that may not run flows, with exit code 3', async () => {
    const caller = await newCaller({ scopes: ['assistants.flows:read'] });
    const { code } = await letters(caller, 'redrive', '--flow', 'some-flow');
    expect(code).toBe(3);
  });
});
