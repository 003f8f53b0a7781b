import { describe, expect, test } from 'vitest';
import { newCaller, type TestCaller } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';
import { createFile, putContent, uploadFile } from '#test/support/files.ts';
import { liveAgent } from '#test/support/flows.ts';
import { startRun } from '#test/support/run-calls.ts';

const content = Buffer.from('hello');
const of = ({ key, workspaceid }: Pick<TestCaller, 'key' | 'workspaceid'>, fileid: string) => ({
  key,
  query: { workspaceid },
  params: { fileid },
});

describe('204', () => {
  test('the file and its content are gone, also for URLs that were signed before', async () => {
    const caller = await newCaller();
    const fileid = await uploadFile(caller, { content });
    const { download } = (await call('getFile', of(caller, fileid))).body;
    expect((await call('deleteFile', of(caller, fileid))).status).toBe(204);
    expect((await call('getFile', of(caller, fileid))).problem.code).toBe('file_not_found');
    expect((await fetch(download?.url ?? '')).status).toBe(404);
  });

  test('what is uploaded later by its URL is not found', async () => {
    const caller = await newCaller();
    const file = await createFile(caller, { content });
    await call('deleteFile', of(caller, file.fileid));
    await putContent(file, content);
    expect((await call('getFile', of(caller, file.fileid))).problem.code).toBe('file_not_found');
  });

  test('no run starts with it, and other files stay', async () => {
    const agent = await liveAgent();
    const [gone, kept] = [await uploadFile(agent, { content }), await uploadFile(agent, { content })];
    await call('deleteFile', of(agent, gone));
    const { problem } = await call('startRun', {
      key: agent.key,
      params: { workspace_id: agent.workspaceid, trigger_id: agent.flowid, environment: 'live' },
      body: { message: 'x', files: [kept, gone] },
    });
    expect(problem.errors).toEqual([{ pointer: '/body/files/1', detail: 'must be a file of the workspace' }]);
    expect((await startRun(agent)).status).toBe(202);
  });
});

describe('403', () => {
  test('a caller who may not start runs', async () => {
    const owner = await newCaller();
    const fileid = await uploadFile(owner, { content });
    const reader = await newCaller({ orgid: owner.orgid, scopes: ['assistants.flows:read'] });
    const { problem } = await call('deleteFile', of({ ...reader, workspaceid: owner.workspaceid }, fileid));
    expect(problem.code).toBe('permission_denied');
    expect((await call('getFile', of(owner, fileid))).body.fileid).toBe(fileid);
  });
});

describe('404', () => {
  test('a file that is deleted, missing, or of another organisation or workspace, which stays', async () => {
    const owner = await newCaller();
    const [fileid, deleted] = [await uploadFile(owner, { content }), await uploadFile(owner, { content })];
    await call('deleteFile', of(owner, deleted));
    const hostile = await newCaller();
    const missing = 'file_AAAAAAAAAAAAAAAAAAAAAA';
    for (const [caller, id] of [
      [owner, deleted],
      [owner, missing],
      [hostile, fileid],
      [{ ...hostile, workspaceid: owner.workspaceid }, fileid],
      [{ ...owner, workspaceid: 'ws_x' }, fileid],
    ] as const) {
      const { problem } = await call('deleteFile', of(caller, id));
      expect(problem).toMatchObject({ code: 'file_not_found', detail: `The workspace has no file ${id}.` });
    }
    expect((await call('getFile', of(owner, fileid))).body.download).not.toBeNull();
  });
});
