// Commands of all the kinds that our stores send, as functions of the history they belong to. Left out is
// what the engines do not agree on and no store of ours does: an update that returns what was before, one
// inside a document, two actions of a transaction on one item (DynamoDB Local looks at the conditions first),
// an update in a transaction that cannot be worked out (DynamoDB Local names no reasons).
import fc from 'fast-check';
import * as z from 'zod';
import type { Command } from './engines.ts';
import {
  change,
  condition,
  type Expression,
  indexName,
  item,
  type Key,
  keys,
  names,
  oneKey,
  soundChange,
  table,
  type Value,
} from './values.ts';

export type Generated = (at: string) => Command;

const expressed = (name: string, { text, values }: Expression) => ({
  [name]: text,
  ...named(text),
  ...(values && { ExpressionAttributeValues: values }),
});

/** AWS refuses names that no expression uses. */
function named(...texts: string[]) {
  const used = Object.entries(names).filter(([name]) => texts.some((text) => text.includes(name)));
  return used.length > 0 ? { ExpressionAttributeNames: Object.fromEntries(used) } : {};
}

const conditional = fc.option(condition, { nil: undefined });
const onFailure = fc.constantFrom({}, { ReturnValuesOnConditionCheckFailure: 'ALL_OLD' });
const returned = (...some: string[]) =>
  fc.constantFrom({}, ...some.map((ReturnValues) => ({ ReturnValues })));
const consistent = fc.constantFrom({}, { ConsistentRead: true });
const projected = fc.constantFrom<object>({}, { ProjectionExpression: 'pk, version, detail.note' });

const put = fc
  .record({ item, conditional, onFailure })
  .map(({ item: of, conditional: only, onFailure: failing }) => (at: string) => ({
    TableName: table,
    Item: of(at),
    ...(only && { ...expressed('ConditionExpression', only), ...failing }),
  }));

const remove = fc
  .record({ key: oneKey, conditional, onFailure })
  .map(({ key, conditional: only, onFailure: failing }) => (at: string) => ({
    TableName: table,
    Key: key(at),
    ...(only && { ...expressed('ConditionExpression', only), ...failing }),
  }));

const updateWith = (changes: typeof change) =>
  fc
    .record({ key: oneKey, change: changes, conditional, onFailure })
    .map(({ key, change: to, conditional: only, onFailure: failing }) => (at: string) => {
      const { text, values } = to(at, key(at));
      const all = { ...values, ...only?.values };
      return {
        TableName: table,
        Key: key(at),
        UpdateExpression: text,
        ...(only && { ConditionExpression: only.text, ...failing }),
        ...named(text, only?.text ?? ''),
        ...(Object.keys(all).length > 0 && { ExpressionAttributeValues: all }),
      };
    });

const check = fc
  .record({ key: oneKey, condition, onFailure })
  .map(({ key, condition: only, onFailure: failing }) => (at: string) => ({
    TableName: table,
    Key: key(at),
    ...expressed('ConditionExpression', only),
    ...failing,
  }));

const command =
  (operation: string, of: (at: string) => object, more: object = {}): Generated =>
  (at) => ({ operation, command: { ...of(at), ...more } });

const writes = fc.oneof(
  fc.tuple(put, returned('NONE', 'ALL_OLD')).map(([of, more]) => command('PutItem', of, more)),
  fc.tuple(remove, returned('NONE', 'ALL_OLD')).map(([of, more]) => command('DeleteItem', of, more)),
  fc
    .tuple(updateWith(change), returned('NONE', 'ALL_NEW', 'UPDATED_NEW'))
    .map(([of, more]) => command('UpdateItem', of, more)),
);

const action = fc.oneof(
  put.map((of) => (at: string) => ({ Put: of(at) })),
  updateWith(soundChange).map((of) => (at: string) => ({ Update: of(at) })),
  remove.map((of) => (at: string) => ({ Delete: of(at) })),
  check.map((of) => (at: string) => ({ ConditionCheck: of(at) })),
);
/** The same token with the same actions has no second effect, and with others it is refused. */
const token = fc.option(fc.constantFrom('1', '2'), { nil: undefined, freq: 3 });
const transaction = fc
  .tuple(
    fc.uniqueArray(action, { minLength: 1, maxLength: 4, selector: (of) => itemParameter(of('')) }),
    token,
  )
  .map(
    ([actions, name]): Generated =>
      (at) => ({
        operation: 'TransactWriteItems',
        command: {
          TransactItems: actions.map((of) => of(at)),
          ...(name !== undefined && { ClientRequestToken: `${at}-${name}` }),
        },
      }),
  );

/** Which item an action is on. */
function itemParameter(action: object): string {
  const [{ Key, Item }] = z.tuple([place]).parse(Object.values(action));
  return `${(Key ?? Item)?.pk.S} ${(Key ?? Item)?.sk.S}`;
}
const itemKey = z.object({ pk: z.object({ S: z.string() }), sk: z.object({ S: z.string() }) });
const place = z.object({ Key: itemKey.optional(), Item: itemKey.optional() });

const several = (toRequest: (key: Value) => object) => (some: readonly Key[], at: string) =>
  some.map((key) => toRequest(key(at)));
const reads = fc.oneof(
  fc
    .tuple(oneKey, consistent, projected)
    .map(([key, ...more]) =>
      command('GetItem', (at) => ({ TableName: table, Key: key(at) }), Object.assign({}, ...more)),
    ),
  fc.tuple(keys, consistent).map(([some, more]) =>
    command('BatchGetItem', (at) => ({
      RequestItems: { [table]: { Keys: several((key) => key)(some, at), ...more } },
    })),
  ),
  keys.map((some) =>
    command('TransactGetItems', (at) => ({
      TransactItems: several((Key) => ({ Get: { TableName: table, Key } }))(some, at),
    })),
  ),
);

const batchWrite = fc.tuple(fc.array(item, { maxLength: 3 }), keys).map(([items, some]) =>
  command('BatchWriteItem', (at) => ({
    RequestItems: {
      [table]: [
        ...items.map((of) => ({ PutRequest: { Item: of(at) } })),
        ...several((Key) => ({ DeleteRequest: { Key } }))(some, at),
      ],
    },
  })),
);

const onTable: readonly Expression[] = [
  { text: 'pk = :pk' },
  { text: 'pk = :pk AND sk = :k', values: { ':k': { S: 'HEAD' } } },
  { text: 'pk = :pk AND begins_with(sk, :k)', values: { ':k': { S: 'E#' } } },
  { text: 'pk = :pk AND sk BETWEEN :k AND :l', values: { ':k': { S: 'E#0002' }, ':l': { S: 'G' } } },
  { text: 'pk = :pk AND sk > :k', values: { ':k': { S: 'E#0001' } } },
  { text: 'pk = :pk AND sk <= :k', values: { ':k': { S: 'F' } } },
];
const onIndex: readonly Expression[] = onTable.map(({ text, ...more }) => ({
  text: text.replaceAll(/\b[ps]k\b(?! =? ?:)|\b[ps]k (?=[=<>B])/g, (name) => `gsi1${name}`),
  ...more,
}));

const query = fc
  .record({
    isOnIndex: fc.boolean(),
    n: fc.nat(onTable.length - 1),
    limit: fc.constantFrom({}, { Limit: 1 }, { Limit: 2 }, { Limit: 3 }),
    direction: fc.constantFrom({}, { ScanIndexForward: false }),
    filter: fc.option(fc.constant('attribute_exists(version)'), { nil: undefined, freq: 3 }),
    more: fc.oneof(
      { weight: 8, arbitrary: fc.constant({}) },
      { weight: 1, arbitrary: fc.constant({ Select: 'COUNT' }) },
      { weight: 2, arbitrary: projected },
    ),
    consistent,
  })
  .map(({ isOnIndex, n, limit, direction, filter, more, consistent: reading }) =>
    command('Query', (at) => {
      const { text, values } = (isOnIndex ? onIndex : onTable)[n] ?? { text: '' };
      const pk = isOnIndex ? `${at}#index` : `${at}#a`;
      return {
        TableName: table,
        ...(isOnIndex && { IndexName: indexName }),
        KeyConditionExpression: text,
        ExpressionAttributeValues: { ':pk': { S: pk }, ...values },
        ...(filter !== undefined && { FilterExpression: filter }),
        ...limit,
        ...direction,
        ...more,
        ...reading,
      };
    }),
  );

/** Writes more often, so that there is something to find. */
export const commands = fc.array(
  fc.oneof(
    { weight: 8, arbitrary: writes },
    { weight: 4, arbitrary: transaction },
    { weight: 1, arbitrary: batchWrite },
    { weight: 2, arbitrary: reads },
    { weight: 3, arbitrary: query },
  ),
  { minLength: 5, maxLength: 40, size: 'max' },
);
