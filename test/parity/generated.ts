// Random histories of commands: each is sent to both engines, whose answers must say the same. A history that
// differs is made as short as it can be before it is shown.
import fc from 'fast-check';
import * as z from 'zod';
import { findDifference } from './answers.ts';
import { commands, type Generated } from './commands.ts';
import type { Command, Engines } from './engines.ts';
import { indexName, table } from './values.ts';

const text = (AttributeName: string) => ({ AttributeName, AttributeType: 'S' });
const keySchema = (prefix: string) => [
  { AttributeName: `${prefix}pk`, KeyType: 'HASH' },
  { AttributeName: `${prefix}sk`, KeyType: 'RANGE' },
];
const createTable: Command = {
  operation: 'CreateTable',
  command: {
    TableName: table,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: [text('pk'), text('sk'), text('gsi1pk'), text('gsi1sk')],
    KeySchema: keySchema(''),
    GlobalSecondaryIndexes: [
      { IndexName: indexName, KeySchema: keySchema(indexName), Projection: { ProjectionType: 'ALL' } },
    ],
  },
};

/** How many commands agreed. Throws with the shortest history that differs. */
export async function compareGenerated(engines: Engines, seed: number, histories: number): Promise<number> {
  await Promise.all([engines.dynoxide(createTable), engines.dynamoDbLocal(createTable)]);
  let count = 0;
  const property = fc.asyncProperty(commands, async (history: readonly Generated[]) => {
    const at = crypto.randomUUID();
    for (const each of history) count += await compare(engines, each(at));
  });
  const { failed, errorInstance } = await fc.check(property, { seed, numRuns: histories });
  if (failed) throw errorInstance;
  return count;
}

const page = z.object({ LastEvaluatedKey: z.unknown().optional(), Count: z.number().optional() });

type Pair = Pick<Engines, 'dynoxide' | 'dynamoDbLocal'>;

/** A query reads all pages, each with the key that the page before returned. */
async function compare({ dynoxide, dynamoDbLocal }: Pair, command: Command): Promise<number> {
  const answers = await Promise.all([dynoxide(command), dynamoDbLocal(command)]);
  const difference = findDifference(command, ...answers);
  if (difference !== undefined) throw new Error(difference);
  const [own, other] = answers.map(({ body }) => page.parse(body).LastEvaluatedKey);
  if (command.operation !== 'Query' || (own ?? other) === undefined) return 1;
  const next = { ...command, command: { ...command.command, ExclusiveStartKey: own ?? other } };
  if (own !== undefined && other !== undefined) return 1 + (await compare({ dynoxide, dynamoDbLocal }, next));
  // DynamoDB Local refuses a key that nothing can follow, so only who gave it is asked.
  const last = await (own === undefined ? dynamoDbLocal : dynoxide)(next);
  if (page.parse(last.body).Count === 0) return 1;
  throw new Error(`Only one engine has more than this page: ${JSON.stringify(command)}`);
}
