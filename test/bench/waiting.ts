// Counts events whose work is not done yet.
import { EventEmitter, once } from 'node:events';

export function createWaiting() {
  let count = 0;
  const progress = new EventEmitter();
  return {
    begin: (): void => {
      count += 1;
    },
    finish: (): void => {
      count -= 1;
      progress.emit('finished');
    },
    /** Resolves when nothing waits. */
    idle: async (): Promise<void> => {
      while (count > 0) await once(progress, 'finished');
    },
  };
}
