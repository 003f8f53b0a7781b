// Tables in memory behind both sides of the A2A measurement, reached through the same port: `send` of the document
// client. Like the SDK's own store in memory, they copy what they are given and what they return, and nothing else: what
// DynamoDB does itself, such as changing an item, is no work of its callers. Conditions are not evaluated: each request
// of the measurement writes items of its own, for which they hold.
import { serialize } from 'node:v8';
import {
  BatchGetCommand,
  type DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  ScanCommand,
  TransactWriteCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';

type Item = Record<string, unknown>;

export interface Written {
  readonly puts: number;
  readonly bytes: number;
}

export interface MemoryTables {
  /** In place of the method of the document client. */
  readonly send: (command: unknown) => Promise<object>;
  /** Copies tables of DynamoDB, which stay at each reset. */
  readonly load: (client: DynamoDBDocumentClient, tables: readonly string[]) => Promise<void>;
  /** From now on, writes are counted with the sizes of the items that they leave behind. */
  readonly countWrites: () => true;
  /** Forgets the writes, and gives what was counted of them. */
  readonly reset: () => Written;
}

export function createMemoryTables(): MemoryTables {
  const store = createItemStore();
  return {
    send: async (command) => answer(store, command),
    load: async (client, tables) => {
      for (const table of tables) await loadTable(store, client, table);
    },
    countWrites: store.countWrites,
    reset: store.reset,
  };
}

type ItemStore = ReturnType<typeof createItemStore>;

function createItemStore() {
  const loaded = new Map<string, Attributes>();
  const items = new Map<string, Attributes>();
  let written: Written = { puts: 0, bytes: 0 };
  let isCounting = false;
  const count = (item: Attributes) => {
    if (!isCounting) return;
    const { length } = serialize(Object.fromEntries(item));
    written = { puts: written.puts + 1, bytes: written.bytes + length };
  };
  const set = (key: string, item: Attributes) => {
    items.set(key, item);
    count(item);
  };
  return {
    load: (key: string, item: Item) => void loaded.set(key, copyItem(item)),
    get: (key: string) => {
      const item = items.get(key) ?? loaded.get(key);
      return item && returnItem(item);
    },
    put: (key: string, item: Item) => set(key, copyItem(item)),
    /** `change` may keep only what was copied before. */
    update: (key: string, primaryKey: Item, change: (item: Attributes) => void) => {
      const item = items.get(key) ?? new Map(loaded.get(key) ?? Object.entries(primaryKey));
      change(item);
      set(key, item);
      return item;
    },
    countWrites: (): true => {
      isCounting = true;
      return true;
    },
    reset: () => {
      items.clear();
      const before = written;
      written = { puts: 0, bytes: 0 };
      return before;
    },
  };
}

/** Of an item, by their names. */
type Attributes = Map<string, unknown>;

function copyItem(item: Item): Attributes {
  const attributes: Attributes = new Map();
  for (const name in item) attributes.set(name, copyValue(item[name]));
  return attributes;
}

function returnItem(attributes: Attributes): Item {
  const item: Item = {};
  for (const [name, value] of attributes) item[name] = copyValue(value);
  return item;
}

/** Copies what two owners of an item could otherwise change for each other. */
function copyValue(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  return value instanceof Uint8Array ? new Uint8Array(value) : structuredClone(value);
}

async function loadTable(store: ItemStore, client: DynamoDBDocumentClient, table: string): Promise<void> {
  const { Items = [], LastEvaluatedKey } = await client.send(new ScanCommand({ TableName: table }));
  if (LastEvaluatedKey) throw new Error(`${table} has more items than one scan returns.`);
  for (const each of Items) store.load(storeKey(table, each), each);
}

const storeKey = (table: string | undefined, { pk, sk }: Item) => `${table} ${pk} ${sk}`;

function answer(store: ItemStore, command: unknown): object {
  if (command instanceof GetCommand) {
    const { TableName, Key = {} } = command.input;
    return { Item: store.get(storeKey(TableName, Key)) };
  }
  if (command instanceof BatchGetCommand)
    return { Responses: readBatch(store, command.input.RequestItems ?? {}) };
  if (command instanceof PutCommand) {
    put(store, command.input);
    return {};
  }
  if (command instanceof UpdateCommand) return { Attributes: update(store, command.input) };
  if (!(command instanceof TransactWriteCommand))
    throw new Error(`The memory knows no ${command?.constructor.name}.`);
  for (const { Put, Update, ConditionCheck } of command.input.TransactItems ?? []) {
    if (Put) put(store, Put);
    else if (Update) update(store, Update);
    else if (!ConditionCheck) throw new Error('The memory knows no such action of a transaction.');
  }
  return {};
}

function readBatch(store: ItemStore, requested: NonNullable<BatchGetCommand['input']['RequestItems']>) {
  return Object.fromEntries(
    Object.entries(requested).map(([table, { Keys = [] }]) => [
      table,
      Keys.flatMap((key) => store.get(storeKey(table, key)) ?? []),
    ]),
  );
}

interface Put {
  readonly TableName: string | undefined;
  readonly Item: Item | undefined;
}

const put = (store: ItemStore, { TableName, Item = {} }: Put) => store.put(storeKey(TableName, Item), Item);

interface Update {
  readonly TableName: string | undefined;
  readonly Key: Item | undefined;
  readonly UpdateExpression?: string | undefined;
  readonly ExpressionAttributeNames?: Record<string, string> | undefined;
  readonly ExpressionAttributeValues?: Item | undefined;
  readonly ReturnValues?: string | undefined;
}

/** Returns what `ReturnValues` asks for: the whole item, or the attributes that have changed. */
function update(store: ItemStore, input: Update): Item | undefined {
  const { TableName, Key = {}, ExpressionAttributeNames: names = {}, ReturnValues } = input;
  const values = copyItem(input.ExpressionAttributeValues ?? {});
  const changes = parseUpdate(input.UpdateExpression ?? '');
  const nameOf = ({ name }: Change) => names[name] ?? name;
  const item = store.update(storeKey(TableName, Key), Key, (attributes) => {
    for (const change of changes) {
      const attribute = nameOf(change);
      if (change.action === 'REMOVE') attributes.delete(attribute);
      else if (change.action === 'SET') attributes.set(attribute, values.get(change.value));
      else
        attributes.set(attribute, Number(attributes.get(attribute) ?? 0) + Number(values.get(change.value)));
    }
  });
  if (ReturnValues === 'ALL_NEW') return returnItem(item);
  if (ReturnValues !== 'UPDATED_NEW') return undefined;
  return returnItem(new Map(changes.map(nameOf).map((name) => [name, item.get(name)])));
}

interface Change {
  readonly action: string;
  readonly name: string;
  readonly value: string;
}

const parsed = new Map<string, readonly Change[]>();

/** Each expression is parsed once. */
function parseUpdate(expression: string): readonly Change[] {
  const known = parsed.get(expression);
  if (known) return known;
  const changes = expression.split(/\b(?=SET |ADD |REMOVE )/).flatMap((clause) => {
    const [, action = '', list = ''] = /^(SET|ADD|REMOVE) (.*)$/.exec(clause.trim()) ?? [];
    return list.split(', ').map((change) => readChange(action, change));
  });
  parsed.set(expression, changes);
  return changes;
}

function readChange(action: string, change: string): Change {
  const [, name = '', value = ''] = /^([#\w]+)(?: ?=? ?(:\w+))?$/.exec(change) ?? [];
  if (name === '') throw new Error(`The memory does not understand "${action} ${change}".`);
  return { action, name, value };
}
