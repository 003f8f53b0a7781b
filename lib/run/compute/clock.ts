// The clock of this process, as the engine asks for it.
import { setTimeout } from 'node:timers/promises';
import type { Ports } from '#lib/flow/engine/ports.ts';

export const clock: Ports['clock'] = {
  now: Date.now,
  monotonic: () => performance.now(),
  cpuMs: () => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1000;
  },
  sleep: async (ms, signal) => {
    await setTimeout(ms, undefined, { signal });
  },
};
