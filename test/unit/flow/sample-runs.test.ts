// Every sample flow in the engine, from its start to its end through the pauses between, and cut at every
// place where it may be cut.
import { describe, expect, test } from 'vitest';
import { agentSampleRuns } from './agent-sample-runs.ts';
import { driven } from './driven.ts';
import { sample, sampleNames } from './sample-flow.ts';
import { type SampleRun, sampleRuns } from './sample-runs.ts';
import { emptyInput } from './scripted.ts';

function drive(
  { sample: name, input, script, answers = {} }: SampleRun,
  how: Parameters<typeof driven>[2] = {},
) {
  return driven(sample(name), script, {
    input: { ...emptyInput, ...input },
    answerTo: ({ id }) => answers[id] ?? `no answer to ${id}`,
    ...how,
  });
}

const runs = [...sampleRuns, ...agentSampleRuns];

test('every sample flow has a run here', () => {
  expect([...new Set(runs.map((run) => run.sample))].sort()).toEqual(sampleNames);
});

describe.each(runs.map((run) => [run.sample, run.what, run] as const))('%s %s', (_name, _what, run) => {
  test('and ends as expected', async () => {
    const { outcome, invocations } = await drive(run);
    expect(outcome).toMatchObject({ status: 'completed', response: run.ends });
    expect(invocations).toHaveLength(1 + Object.keys(run.answers ?? {}).length);
    const entered = invocations.flatMap(({ entries }) => entries).filter(({ event }) => event === 'started');
    if (run.path) expect(entered.map(({ node_id }) => node_id)).toEqual(run.path);
  });

  test('and from every snapshot, stored and read by a fresh engine, ends the same', async () => {
    const whole = await drive(run);
    const snapshots = whole.invocations.flatMap((recorded) => recorded.snapshots);
    expect(snapshots.length).toBeGreaterThan(0);
    for (const snapshot of snapshots) expect((await drive(run, { snapshot })).outcome).toEqual(whole.outcome);
  });

  test('and handed on after every node ends the same', async () => {
    const [whole, pieces] = [await drive(run), await drive(run, { isHasty: true })];
    expect(pieces.outcome).toEqual(whole.outcome);
    expect(pieces.invocations.length).toBeGreaterThan(whole.invocations.length);
  });
});
