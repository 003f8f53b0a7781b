// `npm run dlq`, as an operator runs it.
import { describe, expect, test } from 'vitest';
import { requireEnv } from '#lib/env.ts';
import { newRow, promoted } from '#test/support/builders.ts';
import { newCaller, unique } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';
import { idle } from '#test/support/control.ts';
import { runScript, unsetAws } from '#test/support/run-script.ts';
import { deliver, webhookMessage } from '#test/support/runs.ts';
import { testedService } from '#test/support/tested-service.ts';

async function dlq(args: readonly string[], env: NodeJS.ProcessEnv = testedService().environment) {
  const script = runScript('dlq', args, env);
  return { code: await script.ended, printed: script.printed() };
}
const key = () => ['--flow-key', requireEnv('FLOW_KEY_ID'), '--tenant', requireEnv('TENANT_ID')];
const table = () => ['--runs-table', requireEnv('RUNS_TABLE')];

describe('npm run dlq', () => {
  test('lists dead letters with their reasons, and redrives each once', async () => {
    const caller = await newCaller();
    const flowid = unique('flow');
    const message = webhookMessage({ ...caller, flowid, a2aregistryid: '' });
    await deliver(JSON.stringify(message));
    await idle();
    const only = [...table(), '--org', caller.orgid];
    const { printed } = await dlq(['list', ...only]);
    expect(printed).toContain(
      `${message.triggerId}  ${caller.orgid}/${caller.workspaceid}  ${flowid}  failed 1x`,
    );
    expect(printed).toContain('has no live build.\n1 found.');
    await promoted(caller, await newRow(caller, { flowid }));
    const redrive = ['redrive', ...only, '--run-queue', requireEnv('RUN_QUEUE_URL'), ...key()];
    expect((await dlq(redrive)).printed).toContain('1 sent back to the queue.');
    await idle();
    const params = { workspace_id: caller.workspaceid, workflow_id: message.triggerId };
    expect((await call('getRun', { key: caller.key, params })).body.status).toBe('completed');
    expect((await dlq(redrive)).printed).toBe('0 sent back to the queue.\n');
    expect((await dlq([...redrive, '--id', message.triggerId])).printed).toContain('1 sent back');
  });

  test('reports in one line that AWS cannot be reached', async () => {
    const { code, printed } = await dlq(['list', '--runs-table', 't'], unsetAws);
    expect(code).toBe(1);
    expect(printed.trim().split('\n')).toEqual([
      expect.stringMatching(
        /^Stopped after 0 found: Region is missing\. The region and credentials come from/,
      ),
    ]);
  });

  test.each([
    ['a table that does not exist', ['list', '--runs-table', 'nosuch'], 'There is no table nosuch'],
    [
      'a dead letter that does not exist',
      ['redrive', ...table(), '--run-queue', 'http://127.0.0.1:9/queue', ...key(), '--id', 'nosuch'],
      'There is no dead letter with the id nosuch',
    ],
  ])('%s prints one line and exits with code 1', async (_, args, said) => {
    const { code, printed } = await dlq(args);
    expect(code).toBe(1);
    expect(printed.trim().split('\n')).toEqual([expect.stringContaining(said)]);
  });

  test.each([
    ['no command', [], 'Expected the command'],
    ['no table', ['list'], '--runs-table is missing.'],
    ['no queue', ['redrive', '--runs-table', 't'], '--run-queue is missing.'],
    [
      'no flow key',
      ['redrive', '--runs-table', 't', '--run-queue', 'q', '--tenant', 't'],
      '--flow-key is missing.',
    ],
    [
      'no tenant',
      ['redrive', '--runs-table', 't', '--run-queue', 'q', '--flow-key', 'k'],
      '--tenant is missing.',
    ],
    ['an unknown option', ['list', '--all'], '--all'],
  ])('%s is refused with the expected value and the usage', async (_, args, said) => {
    const { code, printed } = await dlq(args);
    expect(code).toBe(2);
    expect(printed).toContain(said);
    expect(printed).toContain('Usage: npm run dlq');
  });
});
