// Says what a command waits for, once that takes more than a second: a spinner in a terminal, else one line.
import { note } from './print.ts';

const patienceMs = 1_000;

export async function withProgress<T>(what: string, awaited: Promise<T>): Promise<T> {
  let stop: (() => void) | undefined;
  const timer = setTimeout(() => {
    if (process.stderr.isTTY) stop = spin(what);
    else note(`${what} …`);
  }, patienceMs);
  try {
    return await awaited;
  } finally {
    clearTimeout(timer);
    stop?.();
  }
}

const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];

/** One line that is removed again. */
function spin(what: string): () => void {
  const startedAt = Date.now();
  let turn = 0;
  const timer = setInterval(() => {
    turn += 1;
    const seconds = Math.floor((Date.now() - startedAt) / 1_000) + 1;
    process.stderr.write(`\r\u001b[2K${frames[turn % frames.length]} ${what} (${seconds} s)`);
  }, 100);
  return () => {
    clearInterval(timer);
    process.stderr.write('\r\u001b[2K');
  };
}
