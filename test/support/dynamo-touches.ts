// Reads from a request to DynamoDB what it names: the keys of each item, index keys, the values of
// conditions.
import * as z from 'zod';

/** One item or one query of a request. */
export interface Touch {
  /** Such as `GetItem`. */
  readonly operation: string;
  readonly isWrite: boolean;
  readonly sk: string | undefined;
  /** Keys, index keys, `orgid` and `workspaceid` of an item, values of expressions. */
  readonly texts: readonly { readonly member: string; readonly text: string }[];
}

const attributes = z.record(z.string(), z.record(z.string(), z.unknown()));
const part = z.looseObject({
  Key: attributes.optional(),
  Item: attributes.optional(),
  ExpressionAttributeValues: attributes.optional(),
  ExclusiveStartKey: attributes.optional(),
  Keys: z.array(attributes).optional(),
});
const actions = z.array(z.record(z.string(), part));
const request = part.extend({
  TransactItems: actions.optional(),
  RequestItems: z.record(z.string(), z.union([actions, part])).optional(),
});

export function listTouches(operation: string, body: Buffer): Touch[] {
  const { TransactItems = [], RequestItems = {}, ...single } = request.parse(JSON.parse(body.toString()));
  const batched = Object.values(RequestItems);
  const parts = [
    single,
    ...[TransactItems, ...batched.filter(Array.isArray)].flat().flatMap((action) => Object.values(action)),
    ...batched.flatMap((each) => part.safeParse(each).data?.Keys ?? []).map((Key) => ({ Key })),
  ];
  const isWrite = !/Get|Query|Scan/.test(operation);
  return parts
    .map((each) => ({ operation, isWrite, ...readNames(part.parse(each)) }))
    .filter(({ texts }) => texts.length > 0);
}

const placing = /^(pk|sk|gsi\d(pk|sk)|orgid|workspaceid)$/;

function readNames({ Key, Item, ExpressionAttributeValues, ExclusiveStartKey }: z.infer<typeof part>) {
  const placed = Object.entries(Item ?? {}).filter(([member]) => placing.test(member));
  const named = [Key, Object.fromEntries(placed), ExpressionAttributeValues, ExclusiveStartKey];
  const texts = named.flatMap((group) =>
    Object.entries(group ?? {}).flatMap(([member, { S }]) =>
      typeof S === 'string' ? [{ member, text: S }] : [],
    ),
  );
  return { texts, sk: texts.find(({ member }) => member === 'sk')?.text };
}
