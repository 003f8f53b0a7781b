// Which partitions of the tables and indexes a call reads and writes, with its capacity units. DynamoDB reports units for
// a table and for each index, not for each item, so those of a transaction are divided evenly among its items.
import * as z from 'zod';
import type { MeteredCall } from '../capacity-meter.ts';

export interface PartitionUse {
  /** `table` or an index such as `gsi1`, and the value of its partition key. */
  readonly index: string;
  readonly key: string;
  readonly readUnits: number;
  readonly writeUnits: number;
}

const attributes = z.record(z.string(), z.looseObject({ S: z.string().optional() }));
const item = z.looseObject({
  TableName: z.string(),
  Key: attributes.optional(),
  Item: attributes.optional(),
});
type Item = z.infer<typeof item>;
const units = z.looseObject({ CapacityUnits: z.number() });
const consumed = z.looseObject({
  TableName: z.string(),
  CapacityUnits: z.number(),
  Table: units.optional(),
  GlobalSecondaryIndexes: z.record(z.string(), units).optional(),
});
const answered = z.looseObject({
  ConsumedCapacity: z.union([consumed, z.array(consumed)]).optional(),
});
const query = z.looseObject({
  TableName: z.string(),
  IndexName: z.string().optional(),
  ExpressionAttributeValues: attributes.optional(),
});
const transaction = z.looseObject({ TransactItems: z.array(z.record(z.string(), item)) });
const batch = z.looseObject({
  RequestItems: z.record(
    z.string(),
    z.union([
      z.array(
        z.looseObject({
          PutRequest: z.looseObject({ Item: attributes }).optional(),
          DeleteRequest: z.looseObject({ Key: attributes }).optional(),
        }),
      ),
      z.looseObject({ Keys: z.array(attributes) }),
    ]),
  ),
});

export async function findUse(metered: MeteredCall): Promise<PartitionUse[]> {
  const { operation, asked, answer } = metered;
  const capacities = [answered.parse(answer).ConsumedCapacity ?? []].flat();
  if (operation === 'Query') return capacities.flatMap((each) => queryUse(asked, each));
  const items = listItems(operation, asked);
  const isRead = /Get/.test(operation);
  const uses = await Promise.all(
    capacities.map(async (each) => {
      const own = items.filter(({ TableName }) => TableName === each.TableName);
      return isRead ? readUse(own, each) : await writeUse(own, each, metered);
    }),
  );
  return uses.flat();
}

type Consumed = z.infer<typeof consumed>;

function queryUse(asked: object, { CapacityUnits: readUnits }: Consumed): PartitionUse[] {
  const { IndexName: index = 'table', ExpressionAttributeValues = {} } = query.parse(asked);
  const key = ExpressionAttributeValues[':pk']?.S ?? Object.values(ExpressionAttributeValues)[0]?.S ?? '';
  return [{ index, key, readUnits, writeUnits: 0 }];
}

const readUse = (items: readonly Item[], { CapacityUnits }: Consumed): PartitionUse[] =>
  items.map((each) => ({
    index: 'table',
    key: partitionOf(each),
    readUnits: CapacityUnits / items.length,
    writeUnits: 0,
  }));

async function writeUse(
  items: readonly Item[],
  capacity: Consumed,
  { call }: MeteredCall,
): Promise<PartitionUse[]> {
  const { CapacityUnits, Table, GlobalSecondaryIndexes = {} } = capacity;
  const ofTable = divide('table', Table?.CapacityUnits ?? CapacityUnits, items.map(partitionOf));
  const stored = await Promise.all(items.map((each) => readStored(each, call)));
  const ofIndexes = Object.entries(GlobalSecondaryIndexes).flatMap(([index, { CapacityUnits: spent }]) => {
    const keys = stored.flatMap((each) => each[`${index}pk`]?.S ?? []);
    return divide(index, spent, keys.length > 0 ? keys : ['(an entry that was removed)']);
  });
  return [...ofTable, ...ofIndexes];
}

const divide = (index: string, spent: number, keys: readonly string[]): PartitionUse[] =>
  spent === 0 ? [] : keys.map((key) => ({ index, key, readUnits: 0, writeUnits: spent / keys.length }));

const partitionOf = ({ Key, Item }: Item): string => (Key ?? Item)?.pk?.S ?? '';

/** As it is after the write: what an update does not name, such as keys of indexes, is only there. */
async function readStored(
  { TableName, Key, Item }: Item,
  call: MeteredCall['call'],
): Promise<z.infer<typeof attributes>> {
  const { pk, sk } = Key ?? Item ?? {};
  const found = await call('GetItem', { TableName, Key: { pk, sk }, ConsistentRead: true });
  return z.looseObject({ Item: attributes.optional() }).parse(found).Item ?? {};
}

function listItems(operation: string, asked: object): Item[] {
  if (operation.startsWith('Transact'))
    return transaction.parse(asked).TransactItems.flatMap((each) => Object.values(each));
  if (!operation.startsWith('Batch')) return [item.parse(asked)];
  return Object.entries(batch.parse(asked).RequestItems).flatMap(([TableName, named]) =>
    Array.isArray(named)
      ? named.map(({ PutRequest, DeleteRequest }) => ({
          TableName,
          Key: PutRequest?.Item ?? DeleteRequest?.Key ?? {},
        }))
      : named.Keys.map((Key) => ({ TableName, Key })),
  );
}
