// Runs of the inbox that need the same connections.
import { expect, test } from 'vitest';
import { groupByNeeds } from '#lib/console/inbox/group-by-needs.ts';

type Scope = 'organization' | 'user';

const waiting = (
  id: string,
  status: string,
  names: readonly string[] = [],
  scope: Scope = 'organization',
) => ({
  summary: { workflow_id: id },
  run: { status, needs: { connections: names.map((connection) => ({ connection, scope })) } },
});

const group = (...runs: Parameters<typeof groupByNeeds>[0]) =>
  groupByNeeds(runs).map((each) => each.map(({ summary }) => summary.workflow_id));

test('runs that need the same connections of the workspace are one group', () => {
  expect(
    group(
      waiting('1', 'auth_required', ['crm', 'mail']),
      waiting('2', 'input_required'),
      waiting('3', 'auth_required', ['mail', 'crm']),
      waiting('4', 'auth_required', ['crm']),
    ),
  ).toEqual([['1', '3'], ['2'], ['4']]);
});

test('connections of a person are stored for each run by themselves', () => {
  const own = (id: string) => waiting(id, 'auth_required', ['crm'], 'user');
  expect(group(own('1'), own('2'))).toEqual([['1'], ['2']]);
});

test('runs that have not been read are apart', () => {
  const unread = (id: string) => ({ ...waiting(id, 'auth_required', ['crm']), run: undefined });
  expect(group(unread('1'), unread('2'))).toEqual([['1'], ['2']]);
});
