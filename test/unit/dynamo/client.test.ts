import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { expect, test } from 'vitest';
import { documents, unneededByDynamoDb } from '#lib/dynamo/client.ts';

const listMiddleware = ({ middlewareStack }: Pick<DynamoDBClient, 'middlewareStack'>) =>
  middlewareStack.identify().map((each) => each.replace(/ .*/, ''));

// An update of the SDK that renames one would otherwise bring it back unseen.
test.each(unneededByDynamoDb)('a client of the SDK has %s, ours has not', (name) => {
  expect(listMiddleware(new DynamoDBClient({ region: 'us-east-1' }))).toContain(name);
  expect(listMiddleware(documents)).not.toContain(name);
});
