// A store in memory behind both sides of the A2A measurement, and our port to it: `send` of the document client.
// Values are kept as bytes, as a table keeps them, so both sides pay for what they store and read. Conditions are
// not evaluated: each request of the measurement writes items of its own, for which they hold.
import { deserialize, serialize } from 'node:v8';
import {
  BatchGetCommand,
  type DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  ScanCommand,
  TransactWriteCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';

export interface MemoryStore {
  readonly get: (key: string) => unknown;
  readonly put: (key: string, value: unknown) => void;
  /** Deletes what was put since `keep`, and gives how many values and bytes that was. */
  readonly reset: () => Written;
  /** What is there now stays. */
  readonly keep: () => void;
}

export interface Written {
  readonly puts: number;
  readonly bytes: number;
}

export function createMemoryStore(): MemoryStore {
  const kept = new Map<string, Buffer>();
  const values = new Map<string, Buffer>();
  let written = { puts: 0, bytes: 0 };
  return {
    get: (key) => {
      const bytes = values.get(key) ?? kept.get(key);
      return bytes && deserialize(bytes);
    },
    put: (key, value) => {
      const bytes = serialize(value);
      values.set(key, bytes);
      written.puts += 1;
      written.bytes += bytes.length;
    },
    reset: () => {
      values.clear();
      const before = written;
      written = { puts: 0, bytes: 0 };
      return before;
    },
    keep: () => {
      for (const [key, bytes] of values) kept.set(key, bytes);
      values.clear();
      written = { puts: 0, bytes: 0 };
    },
  };
}

type Item = Record<string, unknown>;

/** Copies the tables into the store; from then on, the clients read and write there. */
export async function moveIntoMemory(
  store: MemoryStore,
  tables: readonly string[],
  clients: readonly DynamoDBDocumentClient[],
): Promise<void> {
  const [client] = clients;
  for (const table of tables) {
    const { Items = [], LastEvaluatedKey } =
      (await client?.send(new ScanCommand({ TableName: table }))) ?? {};
    if (LastEvaluatedKey) throw new Error(`${table} has more items than one scan returns.`);
    for (const each of Items) store.put(storeKey(table, each), each);
  }
  store.keep();
  for (const each of clients)
    Object.assign(each, { send: async (command: unknown) => answer(store, command) });
}

const storeKey = (table: string | undefined, { pk, sk }: Item) => `${table} ${pk} ${sk}`;

function answer(store: MemoryStore, command: unknown): object {
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

function readBatch(store: MemoryStore, requested: NonNullable<BatchGetCommand['input']['RequestItems']>) {
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

const put = (store: MemoryStore, { TableName, Item = {} }: Put) => store.put(storeKey(TableName, Item), Item);

interface Update {
  readonly TableName: string | undefined;
  readonly Key: Item | undefined;
  readonly UpdateExpression?: string | undefined;
  readonly ExpressionAttributeNames?: Record<string, string> | undefined;
  readonly ExpressionAttributeValues?: Item | undefined;
}

/** The attributes after the update. */
function update(store: MemoryStore, input: Update): Item {
  const {
    TableName,
    Key = {},
    ExpressionAttributeNames: names = {},
    ExpressionAttributeValues: values = {},
  } = input;
  const key = storeKey(TableName, Key);
  const attributes: Item = { ...(store.get(key) ?? Key) };
  for (const { action, name, value } of parseUpdate(input.UpdateExpression ?? '')) {
    const attribute = names[name] ?? name;
    if (action === 'REMOVE') delete attributes[attribute];
    else if (action === 'SET') attributes[attribute] = values[value];
    else attributes[attribute] = Number(attributes[attribute] ?? 0) + Number(values[value]);
  }
  store.put(key, attributes);
  return attributes;
}

interface Change {
  readonly action: string;
  readonly name: string;
  readonly value: string;
}

const parsed = new Map<string, readonly Change[]>();

/** Each expression is parsed once: what DynamoDB does is not to count. */
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
