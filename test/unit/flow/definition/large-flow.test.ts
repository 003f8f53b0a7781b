// What is done with a stored flow, however much there is of whatever it is made of: CPU time of the thread,
// and the best of three, since a busy machine makes every step longer.
import { describe, expect, test } from 'vitest';
import { checkFlow } from '#lib/flow/check/check-flow.ts';
import { compileFlow } from '#lib/flow/definition/compile.ts';
import type { Flow } from '#lib/flow/definition/flow.ts';
import { buildManifest, describeReach } from '#lib/flow/definition/manifest.ts';
import type { JsonObject } from '#lib/json/json.ts';
import { type Build, diffBuilds } from '#lib/registry/diff/diff.ts';
import type { AgentCard } from '#lib/registry/row/agent-card.ts';
import { largeFlows, titled } from '#test/support/large-flows.ts';

const cpuMsMax = 2_000;
const timeout = 60_000;

function cpuMsOf(work: () => void): number {
  let ms = Number.POSITIVE_INFINITY;
  for (let tries = 0; tries < 3 && ms > cpuMsMax; tries++) {
    const before = process.threadCpuUsage();
    work();
    const { user, system } = process.threadCpuUsage(before);
    ms = (user + system) / 1000;
  }
  return ms;
}

/** As it comes from the store: with no part in common with another. */
const stored = (flow: JsonObject): JsonObject => JSON.parse(JSON.stringify(flow));

function accepted(flow: JsonObject): Flow {
  const checked = checkFlow(flow);
  if (checked.ok) return checked.flow;
  throw new Error(JSON.stringify(checked.errors[0]));
}

const card: AgentCard = JSON.parse(
  '{"name": "Large", "skills": [], "capabilities": {}, "defaultInputModes": [], "defaultOutputModes": []}',
);

const buildOf = (flow: JsonObject): Build => ({
  ...{ card, visibility: 'public', flow },
  ...{ egress: [], reaches: describeReach(flow), env_variable: {}, tool_config: {} },
});

describe.each(Object.entries(largeFlows))('a large flow of %s', (_what, make) => {
  const flow = stored(titled(make(), 'before'));

  test(
    'is accepted, compiled and summed up in bounded time',
    () => {
      const checked = accepted(flow);
      expect(cpuMsOf(() => compileFlow(checked))).toBeLessThan(cpuMsMax);
      expect(cpuMsOf(() => buildManifest(checked))).toBeLessThan(cpuMsMax);
    },
    timeout,
  );

  test(
    'is compared with another in bounded time',
    () => {
      const [from, to] = [buildOf(flow), buildOf(stored(titled(flow, 'after')))];
      const ids = Object.keys(flow.nodes ?? {});
      expect(diffBuilds(from, to).nodes).toHaveLength(ids.length);
      expect(cpuMsOf(() => diffBuilds(from, to))).toBeLessThan(cpuMsMax);
      expect(cpuMsOf(() => diffBuilds(from, buildOf(stored(flow))))).toBeLessThan(cpuMsMax);
    },
    timeout,
  );
});
