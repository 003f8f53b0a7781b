// Stands for a thread at work on what does not count itself. The first element of a list says what it does.
import { parentPort } from 'node:worker_threads';

parentPort?.on('message', ({ value }: { readonly value: unknown }) => {
  if (value === 'for ever') for (;;);
  if (value === 'ends') process.exit();
  const kept: unknown[] = [];
  while (value === 'fills the memory') kept.push(Array.from({ length: 1_000 }, () => ({})));
  parentPort?.postMessage({ value });
});
