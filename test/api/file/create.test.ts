import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { limits } from '#lib/flow/format/limits.ts';
import { newCaller } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';
import { createFile, newFileBody, putContent } from '#test/support/files.ts';

const content = Buffer.from('hello');

describe('201', () => {
  test('the URL takes the content with exactly the headers of the answer', async () => {
    const caller = await newCaller();
    const file = await createFile(caller, { content });
    expect(file).toMatchObject({ name: 'note.txt', media_type: 'text/plain', bytes: 5, orgid: caller.orgid });
    expect((await putContent(file, Buffer.from('jello'))).status).toBe(400);
    expect((await putContent(file, Buffer.from('hello!'))).status).toBe(403);
    const { 'x-amz-checksum-sha256': _, ...unchecked } = file.upload.headers;
    expect((await putContent(file, content, unchecked)).status).toBe(403);
    const asPage = { ...file.upload.headers, 'content-type': 'text/html' };
    expect((await putContent(file, content, asPage)).status).toBe(403);
    expect((await putContent(file, content)).status).toBe(200);
  });

  test('a file of 25 MB is taken, and its URL takes no byte more', async () => {
    const whole = randomBytes(limits.fileBytes);
    const file = await createFile(await newCaller(), { content: whole, media_type: 'image/png' });
    expect((await putContent(file, Buffer.concat([whole, Buffer.alloc(1)]))).status).toBe(403);
    expect((await putContent(file, whole)).status).toBe(200);
  });

  test('it expires after as many days as runs are kept', async () => {
    const { created_at, expires_at, upload } = await createFile(await newCaller(), { content });
    const days = Number(process.env.RUN_RETENTION_DAYS);
    expect(Date.parse(expires_at) - Date.parse(created_at)).toBeGreaterThan(days * 86_400_000 - 1000);
    expect(Date.parse(expires_at) - Date.parse(created_at)).toBeLessThanOrEqual(days * 86_400_000);
    expect(Date.parse(upload.expires_at) - Date.parse(created_at)).toBe(900_000);
  });
});

describe('400', () => {
  test.each([
    ['bytes', limits.fileBytes + 1],
    ['bytes', 0],
    ['media_type', 'image/png; charset=utf-8'],
    ['media_type', 'Image/PNG'],
    ['name', '../../etc/passwd'],
    ['name', 'report\u202Egnp.exe'],
    ['sha256', 'abc'],
  ])('a wrong %s is refused (%j)', async (member, value) => {
    const { key, workspaceid } = await newCaller();
    const body = { ...newFileBody({ content }), [member]: value };
    const { problem } = await call('createFile', { key, query: { workspaceid }, body });
    expect(problem).toMatchObject({ code: 'validation_failed', errors: [{ pointer: `/body/${member}` }] });
  });
});

describe('403', () => {
  test('a workspace that the credentials are not for', async () => {
    const { key } = await newCaller({ workspaces: ['ws_mine'] });
    const body = newFileBody({ content });
    const { problem } = await call('createFile', { key, query: { workspaceid: 'ws_other' }, body });
    expect(problem.code).toBe('permission_denied');
  });
});
