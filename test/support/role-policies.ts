// What IAM would say to a request of a function to DynamoDB: the policies of its role, read from the
// template, and the few of IAM's rules that they use. No local engine knows of them, so a condition that is
// too narrow would be found on AWS only.
import * as z from 'zod';
import { at, deployedTemplate, named, ofType, tenantLike } from '../infra/demo-app.ts';

const list = z.union([z.string(), z.array(z.string())]).transform((value) => [value].flat());
const statement = z.strictObject({
  Effect: z.literal('Allow'),
  Action: list,
  Resource: z.unknown().transform((value) => [value].flat().map(named)),
  /** By operator and context key. An operator that is not here is refused, since nobody evaluates it. */
  Condition: z
    .strictObject({
      'ForAllValues:StringLike': z.record(z.string(), list),
      'ForAllValues:StringEquals': z.record(z.string(), list),
      Null: z.record(z.string(), z.string()),
      StringEquals: z.record(z.string(), z.unknown()),
    })
    .partial()
    .default({}),
});
const role = z.looseObject({
  Policies: z.array(z.looseObject({ PolicyDocument: z.looseObject({ Statement: z.array(statement) }) })),
});
type Statement = z.infer<typeof statement>;

/**
 * The statements of a function's own role, by the name of its file such as `registry/create`. Roles that functions share
 * have them too.
 */
export function rolePolicies(): ReadonlyMap<string, readonly Statement[]> {
  const template = deployedTemplate(tenantLike({ functionRoles: 'own' }));
  const roles = new Map(ofType(template, 'AWS::IAM::Role'));
  return new Map(
    ofType(template, 'AWS::Lambda::Function').map(([id, properties]) => {
      const { Policies } = role.parse(roles.get(String(at(properties, 'Role.Fn::GetAtt.0'))));
      const entry = String(template.Resources[id]?.Metadata?.['agentflow:entry']);
      return [
        entry.replace(/^functions\/|\.ts$/g, ''),
        Policies.flatMap(({ PolicyDocument }) => PolicyDocument.Statement),
      ] as const;
    }),
  );
}

/** One of the permissions that a request needs. */
export interface Authorization {
  /** Such as `dynamodb:PutItem`. */
  readonly action: string;
  /** As the template calls it, such as `ControlTable/index/gsi1`. */
  readonly resource: string;
  /** The values of IAM's context keys. */
  readonly context: Readonly<Record<string, readonly string[]>>;
}

export const isAllowed = (statements: readonly Statement[], wanted: Authorization): boolean =>
  statements.some(
    ({ Action, Resource, Condition }) =>
      Action.includes(wanted.action) &&
      Resource.includes(wanted.resource) &&
      holds(Condition, wanted.context),
  );

function holds(condition: Statement['Condition'], context: Authorization['context']): boolean {
  if (condition.StringEquals) throw new Error('StringEquals is for KMS, whose requests are not evaluated.');
  const values = (key: string) => context[key] ?? [];
  // True of a key that the request does not have, which is why `Null` stands beside it.
  const forAll = (
    tests: Readonly<Record<string, string[]>> = {},
    test: (value: string, pattern: string) => boolean,
  ) =>
    Object.entries(tests).every(([key, patterns]) =>
      values(key).every((value) => patterns.some((pattern) => test(value, pattern))),
    );
  return (
    forAll(condition['ForAllValues:StringLike'], isLike) &&
    forAll(condition['ForAllValues:StringEquals'], (value, wanted) => value === wanted) &&
    Object.entries(condition.Null ?? {}).every(
      ([key, isNull]) => (values(key).length === 0) === (isNull === 'true'),
    )
  );
}

/** No policy has a wildcard but at the end. */
const isLike = (value: string, pattern: string): boolean =>
  pattern.endsWith('*') ? value.startsWith(pattern.slice(0, -1)) : value === pattern;

const attributes = z.record(z.string(), z.record(z.string(), z.unknown()));
const action = z.looseObject({
  TableName: z.string().optional(),
  IndexName: z.string().optional(),
  Key: attributes.optional(),
  Item: attributes.optional(),
  KeyConditionExpression: z.string().optional(),
  UpdateExpression: z.string().optional(),
  ConditionExpression: z.string().optional(),
  ExpressionAttributeNames: z.record(z.string(), z.string()).optional(),
  ExpressionAttributeValues: attributes.optional(),
});
type Action = z.infer<typeof action>;
const request = action.extend({
  TransactItems: z.array(z.record(z.string(), action)).optional(),
  RequestItems: z
    .record(
      z.string(),
      z.union([
        z
          .array(z.record(z.string(), action))
          .transform((writes) => writes.flatMap((each) => Object.values(each))),
        z
          .looseObject({ Keys: z.array(attributes) })
          .transform(({ Keys }) => Keys.map((Key): Action => ({ Key }))),
      ]),
    )
    .optional(),
});

/** A transaction needs the permission of each of its actions, a batch one for all of its items. */
export function listAuthorizations(operation: string, body: Buffer): Authorization[] {
  const { TransactItems, RequestItems, ...single } = request.parse(JSON.parse(body.toString()));
  if (TransactItems)
    return TransactItems.flatMap((each) =>
      Object.entries(each).map(([name, some]) =>
        authorization(name === 'ConditionCheck' ? 'ConditionCheckItem' : `${name}Item`, some.TableName, [
          some,
        ]),
      ),
    );
  if (RequestItems)
    return Object.entries(RequestItems).map(([table, items]) => authorization(operation, table, items));
  return [authorization(operation, single.TableName, [single])];
}

function authorization(
  operation: string,
  table: string | undefined,
  actions: readonly Action[],
): Authorization {
  const index = actions[0]?.IndexName;
  const resource = tableName(table);
  return {
    action: `dynamodb:${operation}`,
    resource: index === undefined ? resource : `${resource}/index/${index}`,
    context: {
      'dynamodb:LeadingKeys': actions.map(leadingKey),
      'dynamodb:Attributes': [...new Set(actions.flatMap(attributeNames))],
    },
  };
}

function tableName(physical: string | undefined): string {
  if (physical === process.env.CONTROL_TABLE) return 'ControlTable';
  if (physical === process.env.RUNS_TABLE) return 'RunsTable';
  throw new Error(`The request names the table ${physical}, which no function knows.`);
}

/** The partition key of an item, or that of the table or index of a query. */
function leadingKey(some: Action): string {
  const [, name = '', value = ''] = /(\w+) = (:\w+)/.exec(some.KeyConditionExpression ?? '') ?? [];
  const key = some.Key?.pk ?? some.Item?.pk ?? some.ExpressionAttributeValues?.[value];
  if (typeof key?.S !== 'string') throw new Error(`The request has no partition key: ${name} ${value}.`);
  return key.S;
}

const words =
  /^(SET|REMOVE|ADD|DELETE|AND|OR|NOT|BETWEEN|IN|if_not_exists|attribute_\w+|list_append|size|contains|begins_with)$/;

/** All that a request reads or writes of an item by name. */
function attributeNames(some: Action): string[] {
  const { Key = {}, Item = {}, UpdateExpression = '', ConditionExpression = '' } = some;
  const text = `${UpdateExpression} ${ConditionExpression}`;
  const inText = (text.match(/(?<![:#\w])#?[A-Za-z_]\w*/g) ?? []).filter((word) => !words.test(word));
  const named_ = inText.map((word) => some.ExpressionAttributeNames?.[word] ?? word);
  return [...Object.keys(Key), ...Object.keys(Item), ...named_];
}
