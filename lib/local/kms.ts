// The local KMS: serves kms-operations.ts over the AWS JSON 1.1 protocol on loopback. Tests can disable keys.
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import * as z from 'zod';
import { KmsError } from './kms-error.ts';
import { type Keys, keySpecs, keyUsages, openKeys } from './kms-keys.ts';
import { kmsOperations } from './kms-operations.ts';
import { closeServer, listen } from './listen.ts';

export type Kms = {
  readonly endpoint: string;
  readonly createKey: (id: string, key: KeyResource) => void;
  readonly createAlias: (name: string, keyReference: string) => void;
  /** Every use of the key fails with DisabledException until it is enabled again. */
  readonly disable: (keyReference: string) => void;
  readonly enable: (keyReference: string) => void;
  readonly close: () => Promise<void>;
};

export const keyResource = z.object({
  KeySpec: z.enum(keySpecs).default('SYMMETRIC_DEFAULT'),
  KeyUsage: z.enum(keyUsages).default('ENCRYPT_DECRYPT'),
});
type KeyResource = z.output<typeof keyResource>;

export async function startKms(dataDir: string | undefined): Promise<Kms> {
  const keys = openKeys(dataDir && join(dataDir, 'keys.json'));
  const server = createServer((request, response) => void answer(keys, request, response));
  const endpoint = await listen(server, 0);
  return {
    endpoint,
    createKey: (id, { KeySpec, KeyUsage }) => void keys.create({ id, spec: KeySpec, usage: KeyUsage }),
    createAlias: keys.alias,
    disable: (reference) => keys.setDisabled(reference, true),
    enable: (reference) => keys.setDisabled(reference, false),
    close: () => closeServer(server),
  };
}

async function answer(keys: Keys, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const [status, body] = await run(keys, request);
  response.writeHead(status, {
    'content-type': 'application/x-amz-json-1.1',
    'x-amzn-requestid': randomUUID(),
  });
  response.end(JSON.stringify(body));
}

async function run(keys: Keys, request: IncomingMessage): Promise<[number, object]> {
  try {
    const name = String(request.headers['x-amz-target'] ?? '').replace('TrentService.', '');
    const chunks: Buffer[] = await request.toArray();
    const operation = kmsOperations[name] ?? refuse(name);
    return [200, operation(JSON.parse(Buffer.concat(chunks).toString()), keys)];
  } catch (error) {
    if (error instanceof KmsError) return [400, { __type: error.code, message: error.message }];
    return [500, { __type: 'KMSInternalException', message: String(error) }];
  }
}

function refuse(name: string): never {
  throw new KmsError('UnsupportedOperationException', `The local KMS has no operation "${name}"`);
}
