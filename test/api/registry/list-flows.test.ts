// `flow_list=true`: the distinct flows of a workspace.
import { describe, expect, test } from 'vitest';
import { flowPage } from '#lib/routes/registry-list.ts';
import { card, newRow, promoted } from '#test/support/builders.ts';
import { newCaller, type TestCaller, unique } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';

const listFlows = async ({ key, workspaceid }: TestCaller, query = {}) => {
  const all = { workspaceid, flow_list: 'true', ...query };
  return flowPage.parse(JSON.parse((await call('listRegistryRows', { key, query: all })).text));
};
const remove = async ({ key }: TestCaller, a2aregistryid: string) =>
  await call('deleteRegistryRow', { key, params: { a2aregistryid } });

describe('200', () => {
  test('lists each flow once, by id, with the number of its builds and its live build', async () => {
    const caller = await newCaller();
    const [a, b] = [`a-${unique('flow')}`, `b-${unique('flow')}`];
    await newRow(caller, { flowid: b, agent_card: card({ name: 'First' }) });
    const live = await promoted(
      caller,
      await newRow(caller, { flowid: b, agent_card: card({ name: 'Second' }) }),
    );
    const row = await newRow(caller, { flowid: a });
    await newRow({ ...(await newCaller()), workspaceid: caller.workspaceid }, { flowid: a });
    await newRow(caller, {}, unique('ws'));
    expect(await listFlows(caller)).toEqual({
      items: [
        { flowid: a, name: 'Echo', build_count: 1, live: null, updated_at: row.updated_at },
        {
          flowid: b,
          name: 'Second',
          build_count: 2,
          live: live.a2aregistryid,
          updated_at: live.updated_at,
        },
      ],
    });
  });

  test('a flow has no live build after that is deleted, and is not listed after its last build is deleted', async () => {
    const caller = await newCaller();
    const flowid = unique('flow');
    const rest = await newRow(caller, { flowid });
    const live = await promoted(caller, await newRow(caller, { flowid }));
    await remove(caller, live.a2aregistryid);
    expect((await listFlows(caller)).items).toMatchObject([{ flowid, build_count: 1, live: null }]);
    await remove(caller, rest.a2aregistryid);
    expect((await listFlows(caller)).items).toEqual([]);
    await newRow(caller, { flowid });
    expect((await listFlows(caller)).items).toMatchObject([{ flowid, build_count: 1 }]);
  });

  test('pages are full and together they are the list, without flows that have no builds left', async () => {
    const caller = await newCaller();
    const flowids: string[] = [];
    for (let n = 0; n < 7; n += 1) {
      const row = await newRow(caller, { flowid: `f${n}-${unique('flow')}` });
      if (n === 2) await remove(caller, row.a2aregistryid);
      else flowids.push(row.flowid);
    }
    const pages: string[][] = [];
    let cursor: string | undefined;
    do {
      const page = await listFlows(caller, { limit: '2', ...(cursor !== undefined && { cursor }) });
      pages.push(page.items.map((flow) => flow.flowid));
      cursor = page.nextCursor;
    } while (cursor !== undefined && pages.length < 10);
    expect(pages).toEqual([flowids.slice(0, 2), flowids.slice(2, 4), flowids.slice(4)]);
    const all = await listFlows(caller, { pagination: 'false', orgid: caller.orgid });
    expect(all.items.map((flow) => flow.flowid)).toEqual(flowids);
  });
});

describe('403', () => {
  test('another organisation, or a workspace that the key is not for, is refused', async () => {
    const { key, workspaceid } = await newCaller({ workspaces: [unique('ws')] });
    const query = { workspaceid, flow_list: 'true' };
    const foreign = await call('listRegistryRows', { key, query: { ...query, orgid: unique('org') } });
    const other = await call('listRegistryRows', { key, query: { ...query, workspaceid: unique('ws') } });
    expect([foreign.problem.code, other.problem.code]).toEqual(['permission_denied', 'permission_denied']);
  });
});
