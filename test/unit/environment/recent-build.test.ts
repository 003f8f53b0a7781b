import { expect, test } from 'vitest';
import type { FoundBuild } from '#lib/environment/environment-items.ts';
import { createRecentBuilds } from '#lib/environment/recent-build.ts';
import { storedRow } from '#test/support/stored-rows.ts';

const scope = { orgid: 'org_a', workspaceid: 'ws_a', flowid: 'flow' };
const build = (): FoundBuild => ({
  is: 'build',
  row: storedRow(scope),
  settings: { env: {}, keepValues: 'off', isExported: false },
});

/** Each reading finds another build. */
function recentBuilds(find: () => Promise<FoundBuild> = async () => build()) {
  const clock = { now: 10_000 };
  const read: string[] = [];
  const findFor = createRecentBuilds(
    async ({ orgid, workspaceid, flowid }, environment) => {
      read.push([orgid, workspaceid, flowid, environment].join());
      return await find();
    },
    () => clock.now,
  );
  return { clock, read, findFor };
}

test('events that waited share a reading, for a second', async () => {
  const { clock, read, findFor } = recentBuilds();
  const first = await findFor(scope, 'live', 5_000);
  clock.now += 1_000;
  expect(await findFor(scope, 'live', 9_980)).toBe(first);
  clock.now += 1;
  expect(await findFor(scope, 'live', 9_980)).not.toBe(first);
  expect(read).toHaveLength(2);
});

test('an event that was accepted later, or whose clock may say so, has a reading of its own', async () => {
  const { clock, read, findFor } = recentBuilds();
  const first = await findFor(scope, 'live', 5_000);
  expect(await findFor(scope, 'live', 9_981)).not.toBe(first);
  clock.now += 10;
  expect(await findFor(scope, 'live', 9_999)).not.toBe(first);
  expect(read).toHaveLength(3);
});

test('readings under way are shared too', async () => {
  const gate = Promise.withResolvers<void>();
  const { read, findFor } = recentBuilds(async () => {
    await gate.promise;
    return build();
  });
  const both = [findFor(scope, 'live', 5_000), findFor(scope, 'live', 6_000)];
  gate.resolve();
  const [one, other] = await Promise.all(both);
  expect(one).toBe(other);
  expect(read).toHaveLength(1);
});

test('each flow, environment, workspace and organisation has its own', async () => {
  const { read, findFor } = recentBuilds();
  const others = [{ orgid: 'org_b' }, { workspaceid: 'ws_b' }, { flowid: 'other' }];
  for (const other of [{}, ...others]) await findFor({ ...scope, ...other }, 'live', 0);
  await findFor(scope, 'uat', 0);
  expect(new Set(read).size).toBe(5);
});

test.each<[string, () => Promise<FoundBuild>]>([
  ['a build that is missing', async () => ({ is: 'none' })],
  ['one that is pinned and gone', async () => ({ is: 'gone', pinned: 'row_1' })],
  ['a failure', () => Promise.reject(new Error('DynamoDB does not answer.'))],
])('%s is not remembered', async (_, find) => {
  const { read, findFor } = recentBuilds(find);
  for (const _ of [1, 2]) await findFor(scope, 'live', 0).catch(() => undefined);
  expect(read).toHaveLength(2);
});
