// The AWS Encryption SDK as a subject: seals and opens a text with a KMS key, for `registry-crypto.ts`.
import {
  AlgorithmSuiteIdentifier,
  buildClient,
  CommitmentPolicy,
  KmsKeyringNode,
} from '@aws-crypto/client-node';
import { KMS } from '@aws-sdk/client-kms';

/** With key commitment and without a signature per message, which is what our envelope does too. */
const suiteId = AlgorithmSuiteIdentifier.ALG_AES256_GCM_IV12_TAG16_HKDF_SHA512_COMMIT_KEY;

const client = new KMS({});
const generateDataKey = client.generateDataKey.bind(client);
/** The local KMS knows the size of a data key only by its name. */
client.generateDataKey = ({ NumberOfBytes: _, ...input }) =>
  generateDataKey({ ...input, KeySpec: 'AES_256' });

export function envelope(keyArn, context) {
  const { encrypt, decrypt } = buildClient(CommitmentPolicy.REQUIRE_ENCRYPT_REQUIRE_DECRYPT);
  const keyring = new KmsKeyringNode({ generatorKeyId: keyArn, clientProvider: () => client });
  return {
    seal: async (plain) => (await encrypt(keyring, plain, { encryptionContext: context, suiteId })).result,
    open: async (sealed) => (await decrypt(keyring, sealed)).plaintext.toString('utf8'),
  };
}
