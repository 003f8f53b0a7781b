// A KMS for unit tests of what seals and signs: a flow key, a signing key and a cursor key on loopback, in this process's
// environment. The tests of a process share it, since the client of KMS keeps the endpoint of its first call.
import { lazy } from '#lib/lazy.ts';
import { startKms } from '#lib/local/kms.ts';

export interface LocalKms {
  readonly disable: (key: string) => void;
  readonly enable: (key: string) => void;
  /** Another signing key. */
  readonly createKey: (id: string) => void;
}

/** Key ids are UUIDs, as those of KMS. */
export const flowKeyId = '3f0d5a52-6a3c-4f43-9d2e-0d7c0f1b2a11';
export const signingKeyId = '8b7e2c1d-55aa-4b0e-8f53-6a1c9e4d7f22';
const cursorKeyId = 'c1d64f0e-9b3a-4a57-8e62-2f7d5b8a9e33';

const start = lazy(async () => {
  const kms = await startKms(undefined);
  kms.createKey(flowKeyId, { KeySpec: 'SYMMETRIC_DEFAULT', KeyUsage: 'ENCRYPT_DECRYPT' });
  kms.createKey(signingKeyId, { KeySpec: 'ECC_NIST_P256', KeyUsage: 'SIGN_VERIFY' });
  kms.createKey(cursorKeyId, { KeySpec: 'HMAC_256', KeyUsage: 'GENERATE_VERIFY_MAC' });
  return kms;
});

export async function startLocalKms(): Promise<LocalKms> {
  const kms = await start();
  Object.assign(process.env, {
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
    AWS_ENDPOINT_URL_KMS: kms.endpoint,
    FLOW_KEY_ID: flowKeyId,
    SIGNING_KEY_ID: signingKeyId,
    CURSOR_KEY_ID: cursorKeyId,
    TENANT_ID: 'unit',
    GATEWAY_URL: 'https://gateway.example.com',
  });
  const createKey = (id: string) => kms.createKey(id, { KeySpec: 'ECC_NIST_P256', KeyUsage: 'SIGN_VERIFY' });
  return { ...kms, createKey };
}
