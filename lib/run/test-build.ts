// Runs the tests of a build's flow, with the variables of the build. No node uses the network, so nothing is
// recorded as a run.
import { type Caller, requirePermission } from '#lib/access/caller.ts';
import { inWorkspace } from '#lib/errors.ts';
import { limits } from '#lib/flow/format/limits.ts';
import type { TestReport } from '#lib/flow/testing/report.ts';
import { testFlow } from '#lib/flow/testing/test-flow.ts';
import { ownRow } from '#lib/registry/row/own-row.ts';
import type { StoredRow } from '#lib/registry/row/stored-row.ts';
import { codePort } from './code-port.ts';
import { clock } from './compute/clock.ts';
import { computePort } from './compute/compute-port.ts';
import { storedFlow } from './load-flow.ts';

export async function testBuild(
  caller: Caller,
  id: string,
): Promise<{ readonly report: TestReport; readonly workspaceid: string }> {
  // The route demands the permission to read, as the report shows the contents of the flow. The tests are
  // also up to 15 s of work.
  requirePermission(caller, 'assistants.flows:run');
  const row = await ownRow(caller, id);
  requirePermission(caller, 'assistants.flows:run', row.workspaceid);
  return { report: await inWorkspace(row, runTests(row)), workspaceid: row.workspaceid };
}

async function runTests(row: StoredRow): Promise<TestReport> {
  return await testFlow(await storedFlow(row), {
    clock,
    compute: computePort(row.orgid),
    code: codePort,
    env: row.env_variable ?? {},
    timeoutMs: limits.testsMs,
    cpuMs,
  });
}

function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}
