// Counts the write units that some work takes, as DynamoDB reports them: of the tables and their indexes, and twice in
// a transaction. Imported only by work that limits itself; other processes do not ask for the numbers.
import { AsyncLocalStorage } from 'node:async_hooks';
import { documents } from './client.ts';

const meters = new AsyncLocalStorage<{ units: number }>();

/** The units of a write; those of a batch or a transaction are reported for each table. */
export async function meterWrites<T>(
  work: () => Promise<T>,
): Promise<{ readonly result: T; readonly units: number }> {
  const meter = { units: 0 };
  const result = await meters.run(meter, work);
  return { result, units: meter.units };
}

documents.middlewareStack.add(
  (next, { commandName = '' }) =>
    async (args) => {
      const meter = meters.getStore();
      if (!meter || !/Put|Update|Delete|Write/.test(commandName)) return await next(args);
      const result = await next({ ...args, input: { ...args.input, ReturnConsumedCapacity: 'TOTAL' } });
      meter.units += readUnits(result.output);
      return result;
    },
  { name: 'meterWrites', step: 'initialize' },
);

function readUnits(output: object): number {
  const consumed = 'ConsumedCapacity' in output ? output.ConsumedCapacity : undefined;
  return [consumed].flat().reduce((sum: number, each) => sum + unitsOf(each), 0);
}

const unitsOf = (capacity: unknown): number =>
  typeof capacity === 'object' && capacity !== null && 'CapacityUnits' in capacity
    ? Number(capacity.CapacityUnits)
    : 0;
