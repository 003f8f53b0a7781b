import { describe, expect, test } from 'vitest';
import { newCaller, type TestCaller } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';
import { createFile, uploadFile } from '#test/support/files.ts';

const content = Buffer.from('hello');
const get = async ({ key, workspaceid }: Pick<TestCaller, 'key' | 'workspaceid'>, fileid: string) =>
  await call('getFile', { key, query: { workspaceid }, params: { fileid } });

describe('200', () => {
  test('the file is downloaded as an attachment under its name', async () => {
    const caller = await newCaller();
    const name = 'Größe "1"; x=50%.txt';
    const { body } = await get(caller, await uploadFile(caller, { content, name }));
    expect(body).toMatchObject({ name, bytes: 5, media_type: 'text/plain' });
    const response = await fetch(body.download?.url ?? '');
    expect(await response.text()).toBe('hello');
    expect(response.headers.get('content-type')).toBe('text/plain');
    expect(response.headers.get('cache-control')).toBe('private, no-store');
    expect(response.headers.get('content-disposition')).toBe(
      `attachment; filename="Gr__e _1_; x=50_.txt"; filename*=UTF-8''Gr%C3%B6%C3%9Fe%20%221%22%3B%20x%3D50%25.txt`,
    );
  });

  test.each(['text/html', 'image/svg+xml', 'application/xhtml+xml', 'text/javascript', 'application/pdf'])(
    'what browsers run is downloaded without its type (%s)',
    async (media_type) => {
      const caller = await newCaller();
      const { body } = await get(caller, await uploadFile(caller, { content, media_type }));
      const response = await fetch(body.download?.url ?? '');
      expect(response.headers.get('content-type')).toBe('application/octet-stream');
      expect(body.media_type).toBe(media_type);
    },
  );

  test('a changed URL is refused', async () => {
    const caller = await newCaller();
    const { body } = await get(caller, await uploadFile(caller, { content, media_type: 'text/html' }));
    const url = new URL(body.download?.url ?? '');
    url.searchParams.set('response-content-type', 'text/html');
    expect((await fetch(url)).status).toBe(403);
    url.searchParams.delete('X-Amz-Expires');
    expect((await fetch(url)).status).toBe(403);
  });

  test('there is no download before the upload', async () => {
    const caller = await newCaller();
    const { fileid } = await createFile(caller, { content });
    expect((await get(caller, fileid)).body.download).toBeNull();
  });
});

describe('404', () => {
  test('a file of another organisation or workspace is answered as a missing one', async () => {
    const owner = await newCaller();
    const fileid = await uploadFile(owner, { content });
    const hostile = await newCaller();
    const missing = await get(hostile, 'file_AAAAAAAAAAAAAAAAAAAAAA');
    for (const asked of [
      hostile,
      { ...hostile, workspaceid: owner.workspaceid },
      { ...owner, workspaceid: 'ws_x' },
    ]) {
      const { problem } = await get(asked, fileid);
      expect(problem.code).toBe('file_not_found');
      expect(problem.detail?.replace(fileid, '')).toBe(
        missing.problem.detail?.replace('file_AAAAAAAAAAAAAAAAAAAAAA', ''),
      );
    }
  });
});
