// The operations of the local KMS, from the parsed request to the response. `kms.ts` speaks HTTP.
import { createHmac, createPublicKey, randomBytes, randomUUID, sign, verify } from 'node:crypto';
import * as z from 'zod';
import { awsLimits } from '#lib/aws-limits.ts';
import { accountId } from './account.ts';
import { signDigest, verifyDigest } from './ecdsa-digest.ts';
import { decrypt, encrypt, readKeyId } from './kms-ciphertext.ts';
import { KmsError } from './kms-error.ts';
import { type Key, type Keys, keySpecs, keyUsages } from './kms-keys.ts';

type Operation = (body: unknown, keys: Keys) => object;

const bytes = z.string().transform((text) => Buffer.from(text, 'base64'));
const context = z.record(z.string(), z.string()).default({});
const specification = z.object({
  KeySpec: z.enum(keySpecs).default('SYMMETRIC_DEFAULT'),
  KeyUsage: z.enum(keyUsages).default('ENCRYPT_DECRYPT'),
});
const keyReference = z.object({ KeyId: z.string().min(1) });
const signing = keyReference.extend({
  Message: bytes,
  MessageType: z.enum(['RAW', 'DIGEST']).default('RAW'),
  SigningAlgorithm: z.literal('ECDSA_SHA_256'),
});

/** Encrypt takes at most 4,096 bytes, Sign and GenerateMac a message of at most 4,096 (KMS API reference). */
const plaintextBytesMax = awsLimits.kmsMessageBytes;

export const kmsOperations: Readonly<Record<string, Operation>> = {
  CreateKey: operation(specification, ({ KeySpec, KeyUsage }, keys) => {
    const key = keys.create({ id: randomUUID(), spec: KeySpec, usage: KeyUsage });
    return { KeyMetadata: describe(key, false) };
  }),
  DescribeKey: operation(keyReference, ({ KeyId }, keys) => {
    const key = keys.find(KeyId);
    return { KeyMetadata: describe(key, keys.isDisabled(key)) };
  }),
  Encrypt: operation(keyReference.extend({ Plaintext: bytes, EncryptionContext: context }), (body, keys) => {
    const key = usable(keys, body.KeyId);
    limit(body.Plaintext, 'Plaintext');
    const ciphertext = encrypt(secret(key), key.id, body.Plaintext, body.EncryptionContext);
    return { CiphertextBlob: base64(ciphertext), KeyId: key.arn, EncryptionAlgorithm: 'SYMMETRIC_DEFAULT' };
  }),
  Decrypt: operation(
    z.object({ CiphertextBlob: bytes, KeyId: z.string().optional(), EncryptionContext: context }),
    (body, keys) => {
      const key = usable(keys, readKeyId(body.CiphertextBlob));
      if (body.KeyId !== undefined && keys.find(body.KeyId).id !== key.id)
        throw new KmsError('IncorrectKeyException', 'The ciphertext was encrypted with another key');
      const plaintext = decrypt(secret(key), body.CiphertextBlob, body.EncryptionContext);
      return { Plaintext: base64(plaintext), KeyId: key.arn, EncryptionAlgorithm: 'SYMMETRIC_DEFAULT' };
    },
  ),
  GenerateDataKey: operation(
    keyReference.extend({ KeySpec: z.literal('AES_256'), EncryptionContext: context }),
    (body, keys) => {
      const key = usable(keys, body.KeyId);
      const dataKey = randomBytes(32);
      const ciphertext = encrypt(secret(key), key.id, dataKey, body.EncryptionContext);
      return { CiphertextBlob: base64(ciphertext), Plaintext: base64(dataKey), KeyId: key.arn };
    },
  ),
  GenerateMac: operation(
    keyReference.extend({ Message: bytes, MacAlgorithm: z.literal('HMAC_SHA_256') }),
    (body, keys) => {
      const key = usable(keys, body.KeyId);
      limit(body.Message, 'Message');
      const mac = createHmac('sha256', macKey(key)).update(body.Message).digest();
      return { KeyId: key.arn, Mac: base64(mac), MacAlgorithm: body.MacAlgorithm };
    },
  ),
  GetPublicKey: operation(keyReference, ({ KeyId }, keys) => {
    const key = usable(keys, KeyId);
    const der = createPublicKey(pair(key)).export({ format: 'der', type: 'spki' });
    return { ...describeUse(key), KeyId: key.arn, PublicKey: base64(der) };
  }),
  Sign: operation(signing, (body, keys) => {
    const key = usable(keys, body.KeyId);
    limit(body.Message, 'Message');
    const signature =
      body.MessageType === 'RAW'
        ? sign('sha256', body.Message, pair(key))
        : signDigest(pair(key), sha256Digest(body.Message));
    return { KeyId: key.arn, Signature: base64(signature), SigningAlgorithm: body.SigningAlgorithm };
  }),
  Verify: operation(signing.extend({ Signature: bytes }), (body, keys) => {
    const key = usable(keys, body.KeyId);
    limit(body.Message, 'Message');
    const valid =
      body.MessageType === 'RAW'
        ? verify('sha256', body.Message, createPublicKey(pair(key)), body.Signature)
        : verifyDigest(createPublicKey(pair(key)), sha256Digest(body.Message), body.Signature);
    if (!valid)
      throw new KmsError('KMSInvalidSignatureException', 'The signature does not match the message');
    return { KeyId: key.arn, SignatureValid: true, SigningAlgorithm: body.SigningAlgorithm };
  }),
};

function operation<T>(schema: z.ZodType<T>, run: (body: T, keys: Keys) => object): Operation {
  return (body, keys) => {
    const read = schema.safeParse(body);
    if (!read.success) throw new KmsError('ValidationException', z.prettifyError(read.error));
    return run(read.data, keys);
  };
}

function usable(keys: Keys, reference: string): Key {
  const key = keys.find(reference);
  if (keys.isDisabled(key)) throw new KmsError('DisabledException', `${key.arn} is disabled.`);
  return key;
}

function secret(key: Key): Buffer {
  if (key.material.kind === 'secret') return key.material.bytes;
  throw new KmsError('InvalidKeyUsageException', `${key.arn} key usage is ${key.usage}, not ENCRYPT_DECRYPT`);
}

function macKey(key: Key): Buffer {
  if (key.material.kind === 'mac') return key.material.bytes;
  throw new KmsError(
    'InvalidKeyUsageException',
    `${key.arn} key usage is ${key.usage}, not GENERATE_VERIFY_MAC`,
  );
}

function pair(key: Key) {
  if (key.material.kind === 'pair') return key.material.privateKey;
  throw new KmsError('InvalidKeyUsageException', `${key.arn} key usage is ${key.usage}, not SIGN_VERIFY`);
}

function limit(value: Buffer, name: string): void {
  if (value.length >= 1 && value.length <= plaintextBytesMax) return;
  throw new KmsError(
    'ValidationException',
    `${name} must have 1 to ${plaintextBytesMax} bytes, not ${value.length}`,
  );
}

function sha256Digest(digest: Buffer): Buffer {
  if (digest.length === 32) return digest;
  throw new KmsError(
    'ValidationException',
    'Digest is invalid length for algorithm ECDSA_SHA_256: expected 32 bytes',
  );
}

function describe(key: Key, disabled: boolean) {
  return {
    ...describeUse(key),
    AWSAccountId: accountId,
    KeyId: key.id,
    Arn: key.arn,
    CreationDate: key.createdAt / 1000,
    Enabled: !disabled,
    KeyState: disabled ? 'Disabled' : 'Enabled',
    KeyManager: 'CUSTOMER',
    Origin: 'AWS_KMS',
    MultiRegion: false,
  };
}

function describeUse(key: Key) {
  const { spec, usage } = key;
  return { KeySpec: spec, CustomerMasterKeySpec: spec, KeyUsage: usage, ...algorithms[key.material.kind] };
}

const algorithms = {
  pair: { SigningAlgorithms: ['ECDSA_SHA_256'] },
  secret: { EncryptionAlgorithms: ['SYMMETRIC_DEFAULT'] },
  mac: { MacAlgorithms: ['HMAC_SHA_256'] },
} as const;

const base64 = (value: Buffer) => value.toString('base64');
