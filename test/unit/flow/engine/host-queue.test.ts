// How many requests of a run to one host are open at the same time.
import { expect, test } from 'vitest';
import { createHostQueue } from '#lib/flow/engine/host-queue.ts';
import type { HttpAnswer } from '#lib/flow/ports/http.ts';
import { checkedFlow, httpAnswer, quiet, run, scripted } from '../scripted.ts';

/** A port that answers when the test says so, the oldest request first. */
function gatedPort() {
  const open: { readonly url: string; readonly answer: (answer: HttpAnswer) => void }[] = [];
  return {
    http: ({ url }: { readonly url: string }) =>
      new Promise<HttpAnswer>((answer) => {
        open.push({ url, answer });
      }),
    urls: () => open.map(({ url }) => new URL(url).pathname),
    answerOne: async () => {
      open.shift()?.answer(httpAnswer(200));
      await quiet();
    },
  };
}

const egress = ['a.example.com', 'b.example.com'];
const get = (host: string, more: object = {}) => ({
  type: 'http',
  url: `https://${host}.example.com/{{ item }}`,
  ...more,
});
const mapOf = (node: object, items = [1, 2, 3, 4, 5]) => ({
  type: 'map',
  items,
  max_concurrency: 5,
  body: { start: 'get', nodes: { get: node } },
});

test('is bounded for the items of a map, which keep their order', async () => {
  const port = gatedPort();
  const running = run(
    checkedFlow({ each: mapOf(get('a', { max_concurrency: 2 })) }, { egress }),
    scripted(port),
  );
  await quiet();
  const seen = [port.urls()];
  for (let n = 0; n < 5; n++) {
    await port.answerOne();
    seen.push(port.urls());
  }
  expect(seen).toEqual([['/1', '/2'], ['/2', '/3'], ['/3', '/4'], ['/4', '/5'], ['/5'], []]);
  expect(await running).toMatchObject({ status: 'completed' });
});

test('is bounded for each host by itself, across branches', async () => {
  const port = gatedPort();
  const nodes = {
    both: {
      type: 'parallel',
      branches: {
        one: {
          start: 'x',
          nodes: { x: { type: 'http', url: 'https://a.example.com/one', max_concurrency: 1 } },
        },
        two: {
          start: 'y',
          nodes: { y: { type: 'http', url: 'https://a.example.com/two', max_concurrency: 1 } },
        },
        far: {
          start: 'z',
          nodes: { z: { type: 'http', url: 'https://b.example.com/far', max_concurrency: 1 } },
        },
        free: { start: 'w', nodes: { w: { type: 'http', url: 'https://a.example.com/free' } } },
      },
    },
  };
  const running = run(checkedFlow(nodes, { egress }), scripted(port));
  await quiet();
  expect(port.urls().sort()).toEqual(['/far', '/free', '/one']);
  for (let n = 0; n < 3; n++) await port.answerOne();
  expect(port.urls()).toEqual(['/two']);
  await port.answerOne();
  expect(await running).toMatchObject({ status: 'completed' });
});

test('counts no request that failed or that has waited in vain', async () => {
  const hosts = createHostQueue();
  const { signal } = new AbortController();
  const leave = await hosts.enter('a', 1, signal);
  const abort = new AbortController();
  const given = hosts.enter('a', 1, abort.signal);
  const next = hosts.enter('a', 1, signal);
  abort.abort(new Error('over'));
  await expect(given).rejects.toThrow('over');
  await expect(hosts.enter('a', 1, abort.signal)).rejects.toThrow('over');
  leave();
  const leaveNext = await next;
  leaveNext();
  (await hosts.enter('a', 1, signal))();
});

test('is free again after a request that failed', async () => {
  let calls = 0;
  const http = async () => {
    calls += 1;
    if (calls === 1) throw new Error('broken');
    return httpAnswer(200);
  };
  const each = { ...mapOf(get('a', { max_concurrency: 1 })), on_error: 'collect' };
  const outcome = await run(checkedFlow({ each }, { egress }), scripted({ http }));
  expect(outcome).toMatchObject({ status: 'completed' });
  expect(calls).toBe(5);
});

test('a request that was aborted does not count, even if its port never answers', async () => {
  const port = gatedPort();
  const node = get('a', {
    url: 'https://a.example.com/x',
    max_concurrency: 1,
    timeout_seconds: 5,
    retry: { max_attempts: 2, delay_ms: 0, on: ['timeout'] },
  });
  const recorded = scripted(port);
  const running = run(checkedFlow({ get: node }, { egress }), recorded);
  await quiet();
  recorded.clock.pass(5_000);
  await quiet();
  recorded.clock.pass(0);
  await quiet();
  expect(port.urls()).toEqual(['/x', '/x']);
  await port.answerOne();
  await port.answerOne();
  expect(await running).toMatchObject({ status: 'completed' });
});

test('an aborted request leaves its place once', async () => {
  const { enter } = createHostQueue();
  const abort = new AbortController();
  const leave = await enter('a', 1, abort.signal);
  abort.abort();
  const second = await enter('a', 1, new AbortController().signal);
  leave();
  const third = enter('a', 1, new AbortController().signal);
  const isWaiting = await Promise.race([third.then(() => false), quiet().then(() => true)]);
  expect(isWaiting).toBe(true);
  second();
  (await third)();
});
