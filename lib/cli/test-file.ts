// Runs the tests of the flow in a file.
import { createCodeThread } from '#lib/code/thread.ts';
import { limits } from '#lib/flow/format/limits.ts';
import type { TestReport } from '#lib/flow/testing/report.ts';
import { testFlow } from '#lib/flow/testing/test-flow.ts';
import { jsonObject } from '#lib/json/json.ts';
import { clock } from '#lib/run/compute/clock.ts';
import type { Pairs } from './options.ts';
import { requireChecked } from './read-flow.ts';

/** The variables of an agent file count where `env` has no others. */
export async function testFile(file: string, env: Pairs, asJson: boolean): Promise<TestReport> {
  const { flow, body } = await requireChecked(file, asJson);
  const all = { ...jsonObject.safeParse(body?.env_variable).data, ...env };
  return await testFlow(flow, { clock, code: createCodeThread(), env: all, timeoutMs: limits.testsMs });
}
