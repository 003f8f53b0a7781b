// `npm run demo`, as a newcomer runs it.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type LocalStart, putLive, startLocal } from '#test/support/local-start.ts';
import { runScript } from '#test/support/run-script.ts';

async function demo(home: string, ...args: string[]) {
  const script = runScript('demo', args, { AGENT_FLOW_HOME: home });
  script.child.stdin?.end();
  return { code: await script.ended, printed: script.printed() };
}

test('the demo starts its own service, registers an agent and runs it to completion', async () => {
  const { code, printed } = await demo('/nonexistent');
  expect(code, printed).toBe(0);
  expect(printed.match(/\d\. [A-Z].*/g)).toHaveLength(8);
  expect(printed).toContain('TASK_STATE_COMPLETED');
  expect(printed).toMatch(/See the finished run[\s\S]*"status":"completed"/);
});

describe('against a service that already runs', () => {
  let home: string;
  let service: LocalStart;
  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), 'agent-flow-demo-'));
    service = await startLocal(home);
  });
  afterAll(async () => {
    await service.stop();
    await rm(home, { recursive: true });
  });

  test('each demo shows that the build that was live returns to test, and leaves the service as it was', async () => {
    const {
      ready: { registryId, baseUrl },
    } = service;
    const first = await demo(home, '--yes');
    expect(first.code, first.printed).toBe(0);
    expect(first.printed).toContain(`Using the service at ${baseUrl}.`);
    expect(steps(first.printed, 4)).toContain(
      `{"a2aregistryid":"${registryId}","build_no":1,"status":"test"`,
    );
    const second = await demo(home, '--yes');
    expect(second.code, second.printed).toBe(0);
    expect(steps(second.printed, 3)).toContain('"build_no":3,"status":"live"');
    expect(steps(second.printed, 4)).toContain(
      `"a2aregistryid":"${registryId}","build_no":1,"status":"test"`,
    );
    expect(second.printed).toContain('Cleaned up: build 1 is live again, as before.');
    const list = `/api/v1/a2a-registry?workspaceid=${service.ready.workspaceid}&flowid=${service.ready.flowid}`;
    expect(await service.send(`GET ${list}`)).toMatchObject({
      items: [{ a2aregistryid: registryId, status: 'live' }],
    });
  });

  test('without an answer to its question, the demo leaves the service alone', async () => {
    const { code, printed } = await demo(home);
    expect(code, printed).toBe(0);
    expect(printed).toContain('The service that runs stays as it is, so the demo starts its own');
  });

  test('the demo exits with code 1 and the reason when a run does not complete', async () => {
    await putLive(service, { flow: failing });
    const { code, printed } = await demo(home, '--yes');
    expect(code).toBe(1);
    expect(printed.trim().split('\n').at(-1)).toBe(
      'The demo failed: The task is TASK_STATE_FAILED; TASK_STATE_COMPLETED was expected.',
    );
    expect(printed).not.toContain('That is the main use.');
  });
});

const failing = {
  version: 1,
  name: 'Failing',
  start: 'stop',
  nodes: { stop: { type: 'fail', message: 'Closed today.' } },
};

/** What is printed under the title of a step. */
const steps = (printed: string, number: number): string => printed.split(/^\d\. [A-Z].*$/m)[number] ?? '';
