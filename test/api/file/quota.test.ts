// The quota of an organisation: how many files it has brought, and their bytes.
import { afterEach, beforeAll, expect, test } from 'vitest';
import type { Caller } from '#lib/access/caller.ts';
import { createFile } from '#lib/file/own-files.ts';
import { limits } from '#lib/flow/format/limits.ts';
import { installAwsLambda } from '#lib/local/lambda-streaming.ts';
import { createRunFiles } from '#lib/run/run-files.ts';
import { request } from '#test/support/call-cost.ts';
import { newCaller, type TestCaller } from '#test/support/caller.ts';
import { newFileBody } from '#test/support/files.ts';

beforeAll(() => installAwsLambda());
afterEach(() => {
  delete process.env.LIMITS;
});

const limit = (some: object) => {
  process.env.LIMITS = JSON.stringify(some);
};
const ofSize = (bytes: number) => ({ ...newFileBody({ content: Buffer.from('x') }), bytes });

async function create({ workspaceid, ...caller }: TestCaller, bytes = 1) {
  const options = { query: { workspaceid }, body: ofSize(bytes) };
  const { statusCode, body, headers } = await request('createFile', { workspaceid, ...caller }, options);
  return { statusCode, headers, ...JSON.parse(body) };
}

const remove = async (caller: TestCaller, fileid: string) =>
  await request('deleteFile', caller, { query: { workspaceid: caller.workspaceid }, params: { fileid } });

test('429: a file more than the organisation may have, until one is deleted', async () => {
  limit({ org_files: 2 });
  const caller = await newCaller();
  const first = await create(caller, 10);
  expect((await create(caller, 20)).statusCode).toBe(201);
  const refused = await create(caller, 5);
  expect(refused).toMatchObject({ statusCode: 429, code: 'file_quota_exceeded' });
  expect(refused.detail).toMatch(
    /^The organisation has 2 files of 30 bytes, and this one has 5 bytes; at most 2 files \(org_files\) .* \d{4}-\d\d-\d\d \(UTC\)\.$/,
  );
  expect((await create(await newCaller())).statusCode).toBe(201);
  expect((await remove(caller, first.fileid)).statusCode).toBe(204);
  expect((await remove(caller, first.fileid)).statusCode).toBe(404);
  expect((await create(caller, 5)).statusCode).toBe(201);
  expect((await create(caller, 5)).detail).toContain('The organisation has 2 files of 25 bytes');
});

test('429: a byte more than its files may have', async () => {
  limit({ org_file_bytes: limits.fileBytes + 10 });
  const caller = await newCaller();
  expect((await create(caller, limits.fileBytes)).statusCode).toBe(201);
  expect((await create(caller, 11)).code).toBe('file_quota_exceeded');
  expect((await create(caller, 10)).statusCode).toBe(201);
});

test('of files that are created at the same time, as many as may be are', async () => {
  limit({ org_files: 3 });
  const caller = await newCaller();
  await create(caller);
  const answers = await Promise.all(Array.from({ length: 6 }, () => create(caller)));
  const created = answers.filter(({ statusCode }) => statusCode === 201);
  expect(created).toHaveLength(2);
  expect(new Set(answers.map(({ statusCode }) => statusCode))).toEqual(new Set([201, 429]));
});

test('what has expired is not counted any more, and the others are', async () => {
  limit({ org_files: 2 });
  const { id, orgid, workspaceid } = await newCaller();
  const caller: Caller = { id, orgid, workspaces: '*', scopes: new Set() };
  const dayMs = 86_400_000;
  const at = async (day: number) =>
    await createFile(caller, workspaceid, ofSize(7), Date.now() + day * dayMs);
  const days = Number(process.env.RUN_RETENTION_DAYS);
  await at(0);
  await at(2);
  await expect(at(days)).rejects.toMatchObject({ code: 'file_quota_exceeded' });
  await at(days + 1);
  await expect(at(days + 1)).rejects.toMatchObject({
    detail: expect.stringContaining('The organisation has 2 files of 14 bytes'),
  });
  await at(days + 3);
});

test('what a run saves counts for the organisation that started it, once, and is not stored beyond the limit', async () => {
  limit({ org_files: 2 });
  const [{ orgid, workspaceid }, { orgid: caller_orgid, ...starter }] = [
    await newCaller(),
    await newCaller(),
  ];
  const files = createRunFiles({ orgid, workspaceid, caller_orgid });
  const { signal } = new AbortController();
  const save = (key: string) =>
    files.save({ key, name: 'a.txt', media_type: 'text/plain', content: Buffer.from('hello') }, signal);
  const saved = await save('run.1');
  expect(await save('run.1')).toEqual(saved);
  await save('run.2');
  await expect(save('run.3')).rejects.toMatchObject({
    code: 'file.quota_exceeded',
    message: expect.stringContaining('has 2 files of 10 bytes'),
  });
  expect((await create({ orgid: caller_orgid, ...starter })).code).toBe('file_quota_exceeded');
  expect((await files.read(saved.file, signal)).name).toBe('a.txt');
});
