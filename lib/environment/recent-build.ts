// The build that an event runs, as this process has found it for another one a moment ago: while many events wait, a
// worker reads the build of a flow once a second, not for each of them. An event runs a build that was live when it was
// accepted, or later, as if it had been read for it.
import { boundedMap } from '#lib/bounded-map.ts';
import type { Environment } from './environment.ts';
import { type FlowScope, type FoundBuild, findBuild } from './environment-items.ts';

interface Reading {
  /** Ms since 1970. */
  readonly begunAt: number;
  readonly build: Promise<FoundBuild>;
}

const keptMs = 1_000;
/**
 * The clock of the worker and that of the function which accepted the event differ by less: AWS keeps those of its hosts
 * within about a millisecond.
 */
const clocksDifferMs = 20;
/** Rows may be large, and a worker runs few flows in a second. */
const flowsMax = 20;

export function createRecentBuilds(find: typeof findBuild, now = () => Date.now()) {
  const readings = boundedMap<string, Reading>({ entriesMax: flowsMax, keptMs, now });

  /** Only a build is remembered: what is missing may be there for the next event. */
  const read = async (name: string, reading: Reading): Promise<FoundBuild> => {
    readings.set(name, reading);
    const forget = () => readings.get(name) === reading && readings.delete(name);
    try {
      const build = await reading.build;
      if (build.is !== 'build') forget();
      return build;
    } catch (error) {
      forget();
      throw error;
    }
  };

  /** As `findBuild`, for an event that was accepted at this time (ms since 1970). */
  return async (scope: FlowScope, environment: Environment, acceptedAt: number): Promise<FoundBuild> => {
    const name = JSON.stringify([scope.orgid, scope.workspaceid, scope.flowid, environment]);
    const known = readings.get(name);
    if (known && known.begunAt - clocksDifferMs >= acceptedAt) return await known.build;
    return await read(name, { begunAt: now(), build: find(scope, environment) });
  };
}

export const findBuildOfEvent = createRecentBuilds(findBuild);
