// The local KMS through the real SDK client, with its signatures and ciphertexts checked from outside.
import { createHmac, createPublicKey, generateKeyPairSync, hash, sign, verify } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  CreateKeyCommand,
  DecryptCommand,
  DescribeKeyCommand,
  EncryptCommand,
  GenerateDataKeyCommand,
  GenerateMacCommand,
  GetPublicKeyCommand,
  KMSClient,
  SignCommand,
  VerifyCommand,
} from '@aws-sdk/client-kms';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { signDigest, verifyDigest } from '#lib/local/ecdsa-digest.ts';
import { type Kms, keyResource, startKms } from '#lib/local/kms.ts';

const flowKey = '11111111-1111-4111-8111-111111111111';
const otherKey = '22222222-2222-4222-8222-222222222222';
const signingKey = '33333333-3333-4333-8333-333333333333';
const macKey = '44444444-4444-4444-8444-444444444444';
const folder = mkdtempSync(join(tmpdir(), 'kms-'));

async function start(): Promise<{ kms: Kms; client: KMSClient }> {
  const kms = await startKms(folder);
  kms.createKey(flowKey, keyResource.parse({}));
  kms.createKey(otherKey, keyResource.parse({}));
  kms.createKey(signingKey, keyResource.parse({ KeySpec: 'ECC_NIST_P256', KeyUsage: 'SIGN_VERIFY' }));
  kms.createKey(macKey, keyResource.parse({ KeySpec: 'HMAC_256', KeyUsage: 'GENERATE_VERIFY_MAC' }));
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  return {
    kms,
    client: new KMSClient({ endpoint: kms.endpoint, region: 'us-east-1', credentials, maxAttempts: 1 }),
  };
}

let kms: Kms;
let client: KMSClient;
beforeAll(async () => {
  ({ kms, client } = await start());
});
afterAll(async () => {
  client.destroy();
  await kms.close();
  rmSync(folder, { recursive: true });
});

const bytes = (text: string) => new TextEncoder().encode(text);
const context = { tenant: 'acme', purpose: 'flow' };
const encrypt = async (KeyId = flowKey) =>
  (await client.send(new EncryptCommand({ KeyId, Plaintext: bytes('hello'), EncryptionContext: context })))
    .CiphertextBlob;
const publicKey = async () => {
  const { PublicKey } = await client.send(new GetPublicKeyCommand({ KeyId: signingKey }));
  return createPublicKey({ key: Buffer.from(PublicKey ?? []), format: 'der', type: 'spki' });
};

describe('a ciphertext is decrypted', () => {
  test('with the same context in any order, without naming the key', async () => {
    const EncryptionContext = { purpose: 'flow', tenant: 'acme' };
    const opened = await client.send(
      new DecryptCommand({ CiphertextBlob: await encrypt(), EncryptionContext }),
    );
    expect(Buffer.from(opened.Plaintext ?? []).toString()).toBe('hello');
    expect(opened.KeyId).toBe(`arn:aws:kms:us-east-1:000000000000:key/${flowKey}`);
  });

  test('also after a restart, and only their owner can read the keys', async () => {
    const CiphertextBlob = await encrypt();
    const again = await start();
    const opened = await again.client.send(
      new DecryptCommand({ CiphertextBlob, EncryptionContext: context }),
    );
    expect(Buffer.from(opened.Plaintext ?? []).toString()).toBe('hello');
    again.client.destroy();
    await again.kms.close();
    expect(statSync(join(folder, 'keys.json')).mode & 0o777).toBe(0o600);
  });

  test('if it is a data key, of 32 bytes and new every time', async () => {
    const ask = () =>
      client.send(
        new GenerateDataKeyCommand({ KeyId: flowKey, KeySpec: 'AES_256', EncryptionContext: context }),
      );
    const [one, two] = await Promise.all([ask(), ask()]);
    expect(one.Plaintext).toHaveLength(32);
    expect(one.Plaintext).not.toEqual(two.Plaintext);
    const again = new DecryptCommand({ CiphertextBlob: one.CiphertextBlob, EncryptionContext: context });
    expect((await client.send(again)).Plaintext).toEqual(one.Plaintext);
  });
});

describe('a ciphertext is not decrypted', () => {
  test.each([
    [
      'with another context',
      { EncryptionContext: { ...context, tenant: 'other' } },
      'InvalidCiphertextException',
    ],
    ['without its context', {}, 'InvalidCiphertextException'],
    ['when another key is named', { EncryptionContext: context, KeyId: otherKey }, 'IncorrectKeyException'],
    ['when an unknown key is named', { EncryptionContext: context, KeyId: 'nobody' }, 'NotFoundException'],
  ])('%s', async (_name, input, error) => {
    const CiphertextBlob = await encrypt();
    await expect(client.send(new DecryptCommand({ CiphertextBlob, ...input }))).rejects.toMatchObject({
      name: error,
    });
  });

  test('after any byte of it has changed', async () => {
    const sealed = Buffer.from((await encrypt()) ?? []);
    await fc.assert(
      fc.asyncProperty(fc.nat(sealed.length - 1), fc.integer({ min: 1, max: 255 }), async (index, flip) => {
        const CiphertextBlob = Buffer.from(sealed);
        CiphertextBlob[index] = (CiphertextBlob[index] ?? 0) ^ flip;
        const command = new DecryptCommand({ CiphertextBlob, EncryptionContext: context });
        await expect(client.send(command)).rejects.toMatchObject({
          name: expect.stringMatching(/^(InvalidCiphertext|NotFound)Exception$/),
        });
      }),
      { numRuns: 40 },
    );
  });
});

describe('a disabled key', () => {
  test('cannot be used until it is enabled again', async () => {
    kms.disable(otherKey);
    await expect(encrypt(otherKey)).rejects.toMatchObject({ name: 'DisabledException' });
    const described = await client.send(new DescribeKeyCommand({ KeyId: otherKey }));
    expect(described.KeyMetadata).toMatchObject({ Enabled: false, KeyState: 'Disabled' });
    kms.enable(otherKey);
    expect(await encrypt(otherKey)).toBeDefined();
  });
});

describe('signatures', () => {
  const Message = bytes('header.payload');
  const digest = hash('sha256', Message, 'buffer');
  const SigningAlgorithm = 'ECDSA_SHA_256' as const;

  test.each([
    ['RAW', Message],
    ['DIGEST', digest],
  ] as const)('of a %s message verify with node:crypto', async (MessageType, input) => {
    const command = new SignCommand({ KeyId: signingKey, Message: input, MessageType, SigningAlgorithm });
    const { Signature } = await client.send(command);
    expect(verify('sha256', Message, await publicKey(), Signature ?? new Uint8Array())).toBe(true);
  });

  test.each(['RAW', 'DIGEST'] as const)('verify as %s, and fail for another message', async (MessageType) => {
    const signed = await client.send(new SignCommand({ KeyId: signingKey, Message, SigningAlgorithm }));
    const input = { KeyId: signingKey, Signature: signed.Signature, MessageType, SigningAlgorithm };
    const good = MessageType === 'RAW' ? Message : digest;
    const bad = MessageType === 'RAW' ? bytes('other') : hash('sha256', 'other', 'buffer');
    expect((await client.send(new VerifyCommand({ ...input, Message: good }))).SignatureValid).toBe(true);
    const refused = client.send(new VerifyCommand({ ...input, Message: bad }));
    await expect(refused).rejects.toMatchObject({ name: 'KMSInvalidSignatureException' });
  });

  test('of a digest are compatible with node:crypto for any message, in both directions', () => {
    const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), (message) => {
        const made = hash('sha256', message, 'buffer');
        expect(verify('sha256', message, pair.publicKey, signDigest(pair.privateKey, made))).toBe(true);
        expect(verifyDigest(pair.publicKey, made, sign('sha256', message, pair.privateKey))).toBe(true);
      }),
      { numRuns: 20 },
    );
  });
});

describe('a MAC', () => {
  const ask = async (KeyId: string, text: string) => {
    const command = new GenerateMacCommand({ KeyId, Message: bytes(text), MacAlgorithm: 'HMAC_SHA_256' });
    return Buffer.from((await client.send(command)).Mac ?? []).toString('hex');
  };

  test('is the same for the same message and different for another one, also after a restart', async () => {
    const mac = await ask(macKey, 'label');
    expect(mac).toMatch(/^[0-9a-f]{64}$/);
    expect(await ask(macKey, 'label')).toBe(mac);
    expect(await ask(macKey, 'label.')).not.toBe(mac);
    const [stored] = z
      .array(z.object({ id: z.string(), material: z.string() }))
      .parse(JSON.parse(readFileSync(join(folder, 'keys.json'), 'utf8')))
      .filter(({ id }) => id === macKey);
    const key = Buffer.from(stored?.material ?? '', 'base64');
    expect(createHmac('sha256', key).update('label').digest('hex')).toBe(mac);
  });

  test('requires a key for MACs, and such a key has no other use', async () => {
    await expect(ask(flowKey, 'label')).rejects.toMatchObject({ name: 'InvalidKeyUsageException' });
    await expect(encrypt(macKey)).rejects.toMatchObject({ name: 'InvalidKeyUsageException' });
  });

  test('covers at most 4,096 bytes', async () => {
    expect(await ask(macKey, 'x'.repeat(4_096))).toMatch(/^[0-9a-f]{64}$/);
    await expect(ask(macKey, 'x'.repeat(4_097))).rejects.toMatchObject({ name: 'ValidationException' });
  });
});

describe('invalid requests are refused with the error of KMS', () => {
  const SigningAlgorithm = 'ECDSA_SHA_256' as const;
  const short = new SignCommand({
    KeyId: signingKey,
    Message: bytes('x'),
    MessageType: 'DIGEST',
    SigningAlgorithm,
  });
  test.each([
    ['an unknown key', new DescribeKeyCommand({ KeyId: 'nobody' }), 'NotFoundException'],
    [
      'encrypting with a signing key',
      new EncryptCommand({ KeyId: signingKey, Plaintext: bytes('x') }),
      'InvalidKeyUsageException',
    ],
    ['a public key of a secret one', new GetPublicKeyCommand({ KeyId: flowKey }), 'InvalidKeyUsageException'],
    ['a digest of a wrong length', short, 'ValidationException'],
    [
      'too long a message to sign that is not its digest',
      new SignCommand({
        KeyId: signingKey,
        Message: new Uint8Array(4097),
        MessageType: 'RAW',
        SigningAlgorithm,
      }),
      'ValidationException',
    ],
    [
      'too long a plaintext',
      new EncryptCommand({ KeyId: flowKey, Plaintext: new Uint8Array(4097) }),
      'ValidationException',
    ],
    ['a key of another kind', new CreateKeyCommand({ KeySpec: 'RSA_2048' }), 'ValidationException'],
  ] as const)('%s', async (_name, command, error) => {
    // The commands are of several types, and the client's overloads take one at a time.
    const send: (command: unknown) => Promise<unknown> = client.send.bind(client) as (
      command: unknown,
    ) => Promise<unknown>;
    await expect(send(command)).rejects.toMatchObject({ name: error });
  });

  test('an unsupported operation is refused with the error of KMS', async () => {
    const headers = { 'x-amz-target': 'TrentService.ScheduleKeyDeletion' };
    const response = await fetch(kms.endpoint, { method: 'POST', headers, body: '{}' });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ __type: 'UnsupportedOperationException' });
  });
});

test('keys are found by id, ARN and alias', async () => {
  kms.createAlias('alias/flow', flowKey);
  const references = [flowKey, `arn:aws:kms:us-east-1:000000000000:key/${flowKey}`, 'alias/flow'];
  for (const KeyId of [...references, 'arn:aws:kms:us-east-1:000000000000:alias/flow']) {
    const { KeyMetadata } = await client.send(new DescribeKeyCommand({ KeyId }));
    expect(KeyMetadata).toMatchObject({ KeyId: flowKey, KeySpec: 'SYMMETRIC_DEFAULT', KeyState: 'Enabled' });
  }
});

test('a new key can be created with the AWS command line', async () => {
  const { KeyMetadata } = await client.send(new CreateKeyCommand({}));
  expect(await encrypt(KeyMetadata?.KeyId)).toBeDefined();
});

test('a damaged key file stops the start with one line', async () => {
  const damaged = mkdtempSync(join(tmpdir(), 'kms-damaged-'));
  writeFileSync(join(damaged, 'keys.json'), '{');
  await expect(startKms(damaged)).rejects.toThrow('cannot be read; "npm run reset" deletes them');
  rmSync(damaged, { recursive: true });
});
