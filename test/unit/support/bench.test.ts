// `npm run bench` prints what it has measured when a section fails, and waits when the service is overloaded.
import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import { afterEach, describe, expect, test } from 'vitest';
import { closeServer, listen } from '#lib/local/listen.ts';
import { retryOverload } from '#test/support/retry-overload.ts';

const script = new URL('../../bench/failing-section-process.ts', import.meta.url).pathname;

const bench = (...args: readonly string[]) =>
  new Promise<{ code: unknown; output: string; errors: string }>((resolve) => {
    execFile(process.execPath, [script, ...args], (error, output, errors) =>
      resolve({ code: error ? error.code : 0, output, errors }),
    );
  });

describe('a bench with a section that fails', () => {
  test('prints the table of the others, names the failed section and exits with 1', async () => {
    const { code, output, errors } = await bench();
    expect(code).toBe(1);
    expect(output).toMatch(/^a promise +ms +2\.0 \(1\.0–3\.0\) .*≤ 5 +kept$/m);
    expect(errors).toContain('The service answered 503.');
    expect(errors.trim().split('\n').at(-1)).toBe('Not measured: broken.');
  });

  test('succeeds when only the other section is measured', async () => {
    const { code, output } = await bench('--only', 'sound', '--markdown');
    expect(code).toBe(0);
    expect(output).toContain('| a promise | ms | 2.0 (1.0–3.0) |');
  });

  test('refuses a section that does not exist', async () => {
    const { code, errors } = await bench('--only', 'fast');
    expect(code).toBe(1);
    expect(errors.trim()).toBe('--only must be one of broken, sound, not "fast".');
  });
});

describe('a request to an overloaded service', () => {
  const closing: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const close of closing.splice(0)) await close();
  });

  /** Answers 503 so many times, then 200. Time passes only in its pauses. */
  async function overloaded(times: number, retryAfter?: string) {
    let requests = 0;
    const server = createServer((_request, response) => {
      requests += 1;
      response.writeHead(requests > times ? 200 : 503, retryAfter ? { 'retry-after': retryAfter } : {}).end();
    });
    const url = await listen(server, 0);
    closing.push(() => closeServer(server));
    const pauses: number[] = [];
    const sleep = async (ms: number) => void pauses.push(ms);
    const now = () => pauses.reduce((sum, ms) => sum + ms, 0);
    const { status } = await retryOverload(() => fetch(url), { sleep, now, waitMsMax: 60_000 });
    return { status, requests, pauses };
  }

  test('is repeated after the time in Retry-After until it is answered', async () => {
    expect(await overloaded(3, '5')).toEqual({ status: 200, requests: 4, pauses: [5_000, 5_000, 5_000] });
  });

  test('is repeated every two seconds without a Retry-After', async () => {
    expect(await overloaded(2)).toEqual({ status: 200, requests: 3, pauses: [2_000, 2_000] });
  });

  test('fails with the 503 when the time is up', async () => {
    const { status, requests, pauses } = await overloaded(Number.POSITIVE_INFINITY, '20');
    expect([status, requests, pauses]).toEqual([503, 4, [20_000, 20_000, 20_000]]);
  });

  test('does not wait for a Retry-After beyond that time', async () => {
    expect(await overloaded(1, '3600')).toEqual({ status: 503, requests: 1, pauses: [] });
  });
});
