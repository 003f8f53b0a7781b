// Shows the progress of a build on stderr: one line that changes in a terminal, else a line for each quarter.
import type { Report } from './bundle-steps.ts';

export function showBuildProgress(): Report {
  const startedAt = performance.now();
  return (done, total) => {
    const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
    const text =
      done === 0
        ? `Reading the code of ${total} functions …`
        : `Built ${done} of ${total} functions in ${seconds} s`;
    if (process.stderr.isTTY) process.stderr.write(`\r\u001b[2K${text}${done === total ? '\n' : ''}`);
    else if (done % Math.ceil(total / 4) === 0 || done === total) console.error(text);
  };
}
