// `npm run demo`, as a newcomer runs it.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type LocalStart, putLive, startLocal } from '#test/support/local-start.ts';
import { runScript } from '#test/support/run-script.ts';

async function demo(home: string) {
  const script = runScript('demo', [], { AGENT_FLOW_HOME: home });
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

  test('each demo shows that the build that was live returns to test', async () => {
    const {
      ready: { registryId, baseUrl },
    } = service;
    const first = await demo(home);
    expect(first.code, first.printed).toBe(0);
    expect(first.printed).toContain(`Using the service at ${baseUrl}.`);
    expect(steps(first.printed, 4)).toContain(
      `{"a2aregistryid":"${registryId}","build_no":1,"status":"test"`,
    );
    const second = await demo(home);
    expect(second.code, second.printed).toBe(0);
    expect(steps(second.printed, 3)).toContain('"build_no":3,"status":"live"');
    expect(steps(second.printed, 4)).toContain('"build_no":2,"status":"test"');
  });

  test('the demo exits with code 1 and the reason when a run does not complete', async () => {
    await putLive(service, { flow: failing });
    const { code, printed } = await demo(home);
    expect(code).toBe(1);
    expect(printed.trim().split('\n').at(-1)).toBe(
      'The demo failed: The task is TASK_STATE_FAILED; TASK_STATE_COMPLETED was expected.',
    );
    expect(printed).not.toContain('That is the main job.');
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
