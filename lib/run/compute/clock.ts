// The clock of this process, as the engine asks for it.
import type { Ports } from '#lib/flow/engine/ports.ts';

export const clock: Ports['clock'] = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  cpuMs: () => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1000;
  },
  sleep,
};

/** Not by `node:timers/promises`, which makes an error with a stack for each sleep that is aborted, as most are. */
function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal.addEventListener('abort', stop, { once: true });
  });
}
