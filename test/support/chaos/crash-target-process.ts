// A process that carries out one operation with our rules, and is killed on the way.
import { attempt, operation, ours } from './operations.ts';

process.once('message', async (message) => {
  const acknowledgement = await attempt(ours, operation.parse(message));
  process.send?.({ acknowledgement }, () => process.exit());
});
process.once('disconnect', () => process.exit());
process.send?.('ready');
