// The secrets of confidential clients. They are derived from a key of the tenant and the id of the client, so that none
// is stored.
import { createHmac } from 'node:crypto';
import { derivedKey } from '#lib/dynamo/derived-key.ts';

export async function makeClientSecret(clientId: string): Promise<string> {
  const key = await derivedKey('oauthClient');
  return createHmac('sha256', key.reveal()).update(clientId).digest('base64url');
}

const methodsWithSecret = new Set<unknown>(['client_secret_basic', 'client_secret_post']);

type Metadata = Readonly<Record<string, unknown>>;

export const addClientSecret = async (clientId: string, metadata: Metadata): Promise<Metadata> =>
  methodsWithSecret.has(metadata.token_endpoint_auth_method)
    ? { ...metadata, client_secret: await makeClientSecret(clientId) }
    : metadata;
