// Runs the tests of a build's flow, with the environment of the build. No node reaches the outside, so nothing is recorded as a run.
import { type Caller, requirePermission } from '#lib/access/caller.ts';
import { limits } from '#lib/flow/format/limits.ts';
import type { TestReport } from '#lib/flow/testing/report.ts';
import { testFlow } from '#lib/flow/testing/test-flow.ts';
import { ownRow } from '#lib/registry/own-row.ts';
import { clock } from './compute/clock.ts';
import { computePort } from './compute/compute-port.ts';
import { storedFlow } from './load-flow.ts';

export async function testBuild(caller: Caller, id: string): Promise<TestReport> {
  // The report shows what is in the flow, for which the route asks to read; running it is work besides, of up to 15 s.
  requirePermission(caller, 'assistants.flows:run');
  const row = await ownRow(caller, id);
  const flow = await storedFlow(row);
  return await testFlow(flow, {
    clock,
    compute: computePort(row.orgid),
    env: row.env_variable ?? {},
    timeoutMs: limits.testsMs,
    cpuMs,
  });
}

function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}
