// What callers and flows get while S3 is down, throttles or answers nothing, and that nothing is stored by halves.
import { createServer } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { installAwsLambda } from '#lib/local/lambda-streaming.ts';
import { closeServer, listen } from '#lib/local/listen.ts';
import { createRunFiles } from '#lib/run/run-files.ts';
import { triggerParams } from '#test/support/automation-costs.ts';
import { invoke, request } from '#test/support/call-cost.ts';
import { newCaller, type TestCaller } from '#test/support/caller.ts';
import { uploadFile } from '#test/support/files.ts';
import { liveAgent } from '#test/support/flows.ts';

const healthy = process.env.AWS_ENDPOINT_URL_S3;
const content = Buffer.from('hello');
let asked = 0;
/** S3 recovers after so many requests. */
let recoversAfter = Number.POSITIVE_INFINITY;
const throttling = createServer((incoming, response) => {
  asked += 1;
  if (asked >= recoversAfter) process.env.AWS_ENDPOINT_URL_S3 = healthy;
  incoming.resume();
  response.writeHead(503, { 'content-type': 'application/xml' }).end('<Error><Code>SlowDown</Code></Error>');
});
const breaking = createServer((incoming) => void incoming.socket.destroy());
const hanging = createServer((incoming) => void incoming.resume());
/** Answers, and breaks off within the content. */
const stumbling = createServer((incoming, response) => {
  asked += 1;
  response.writeHead(200, { 'content-length': content.length });
  response.write(content.subarray(0, 2), () => void incoming.socket.destroy());
});
const outages: Record<string, string> = {};

beforeAll(async () => {
  installAwsLambda();
  outages.throttles = await listen(throttling, 0);
  outages['breaks off'] = await listen(breaking, 0);
  outages['does not answer'] = await listen(hanging, 0);
  outages.stumbles = await listen(stumbling, 0);
});
afterEach(() => {
  process.env.AWS_ENDPOINT_URL_S3 = healthy;
  asked = 0;
  recoversAfter = Number.POSITIVE_INFINITY;
});
afterAll(() => Promise.all([throttling, breaking, hanging, stumbling].map(closeServer)));

const beginOutage = (how: string) => {
  process.env.AWS_ENDPOINT_URL_S3 = outages[how];
};
const filesOf = ({ orgid, workspaceid }: TestCaller) =>
  createRunFiles({ orgid, workspaceid, caller_orgid: orgid });
const { signal } = new AbortController();

describe.each(['throttles', 'breaks off', 'does not answer'])('while S3 %s', (how) => {
  test.each(['getFile', 'deleteFile'] as const)(
    '%s is answered with 503 and when to try again, and the file stays',
    async (operation) => {
      const caller = await newCaller();
      const fileid = await uploadFile(caller, { content });
      const options = { query: { workspaceid: caller.workspaceid }, params: { fileid } };
      beginOutage(how);
      const { statusCode, headers, body } = await request(operation, caller, options);
      expect(statusCode).toBe(503);
      expect(JSON.parse(body).code).toBe('dependency_unavailable');
      expect(Number(headers['retry-after'] ?? headers['Retry-After'])).toBeGreaterThan(0);
      expect(body).not.toContain('X-Amz');
      process.env.AWS_ENDPOINT_URL_S3 = healthy;
      const after = await request('getFile', caller, options);
      expect(JSON.parse(after.body).download).not.toBeNull();
    },
  );
});

describe.each(['throttles', 'breaks off'])('while S3 %s', (how) => {
  test('a flow gets file.unavailable for what it reads and answers with', async () => {
    const caller = await newCaller();
    const fileid = await uploadFile(caller, { content });
    beginOutage(how);
    const unavailable = expect.objectContaining({ code: 'file.unavailable' });
    await expect(filesOf(caller).read(fileid, signal)).rejects.toEqual(unavailable);
    await expect(filesOf(caller).find(fileid, signal)).rejects.toEqual(unavailable);
  });

  test('nothing is stored of what a flow saves, and the same execution saves it later', async () => {
    const caller = await newCaller();
    const file = { key: `run.${caller.orgid}.1`, name: 'a.txt', media_type: 'text/plain', content };
    beginOutage(how);
    await expect(filesOf(caller).save(file, signal)).rejects.toMatchObject({ code: 'file.unavailable' });
    process.env.AWS_ENDPOINT_URL_S3 = healthy;
    const stranger = filesOf(await newCaller());
    const saved = await filesOf(caller).save(file, signal);
    expect(Buffer.from((await filesOf(caller).read(saved.file, signal)).content)).toEqual(content);
    await expect(stranger.read(saved.file, signal)).rejects.toMatchObject({ code: 'file.not_found' });
  });
});

test('content that S3 does not send to its end is requested again, and is then unavailable', async () => {
  const caller = await newCaller();
  const fileid = await uploadFile(caller, { content });
  beginOutage('stumbles');
  await expect(filesOf(caller).read(fileid, signal)).rejects.toMatchObject({ code: 'file.unavailable' });
  expect(asked).toBe(3);
});

test.each(['throttles', 'does not answer'])(
  'a call that is aborted does not wait for S3 that %s',
  async (how) => {
    const caller = await newCaller();
    const fileid = await uploadFile(caller, { content });
    beginOutage(how);
    await expect(filesOf(caller).read(fileid, AbortSignal.abort())).rejects.toThrow();
    const abort = new AbortController();
    const reading = filesOf(caller).read(fileid, abort.signal);
    abort.abort(new Error('The time of the node is over.'));
    await expect(reading).rejects.toThrow('The time of the node is over.');
  },
);

test('a node that is retried completes once S3 has recovered', async () => {
  const agent = await liveAgent({
    flow: {
      version: 1,
      name: 'Answer',
      start: 'say',
      nodes: {
        say: {
          type: 'reply',
          file: { file: '{{ input.files[0] }}' },
          retry: { on: ['file.unavailable'], max_attempts: 2, delay_ms: 1 },
          next: 'done',
        },
        done: { type: 'end', output: { file: '{{ nodes.say.file }}' } },
      },
    },
  });
  const file = await uploadFile(agent, { content });
  recoversAfter = 3;
  beginOutage('throttles');
  const answer = await invoke('triggerFlow', agent, {
    params: triggerParams(agent, agent.flowid),
    body: { message: 'x', files: [file] },
  });
  const { response } = z
    .looseObject({ response: z.looseObject({ file: z.looseObject({ file: z.string() }) }) })
    .parse(answer);
  expect(response.file).toMatchObject({ file, bytes: 5 });
  expect(asked).toBe(3);
});
