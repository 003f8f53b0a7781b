// A process that carries out one order with our rules, and is killed on the way.
import { attempt, order, ours } from './orders.ts';

process.once('message', async (message) => {
  const acknowledgement = await attempt(ours, order.parse(message));
  process.send?.({ acknowledgement }, () => process.exit());
});
process.once('disconnect', () => process.exit());
process.send?.('ready');
