import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { expect, test } from 'vitest';
import { keepSigner } from '#lib/aws.ts';

const newClient = (region: () => Promise<string>) =>
  keepSigner(new DynamoDBClient({ region, credentials: { accessKeyId: 'id', secretAccessKey: 'secret' } }));

test('signs all requests with one signer', async () => {
  const { config } = newClient(async () => 'us-east-1');
  expect(await config.signer()).toBe(await config.signer());
});

test('signs as the endpoint says, where it does', async () => {
  const { config } = newClient(async () => 'us-east-1');
  const scheme = { name: 'sigv4', signingName: 'other', signingRegion: 'eu-west-1', properties: {} };
  expect(await config.signer(scheme)).not.toBe(await config.signer());
});

test('makes the signer again after it could not be made', async () => {
  let tries = 0;
  const { config } = newClient(async () => {
    tries += 1;
    if (tries === 1) throw new Error('The region is not known yet.');
    return 'us-east-1';
  });
  await expect(config.signer()).rejects.toThrow('not known yet');
  expect(await config.signer()).toBe(await config.signer());
});
