// What becomes of the metadata of a client, before oidc-provider checks it.
import { expect, test } from 'vitest';
import { adjustMetadata } from '#lib/oauth/client-metadata.ts';

const redirect_uris = ['https://client.example.com/callback'];

test('a client that is known by its document has no secret, whatever the document leaves out', () => {
  const metadata: Record<string, unknown> = {
    client_id: 'https://client.example.com/client.json',
    token_endpoint_auth_method: 'client_secret_basic',
    redirect_uris,
  };
  adjustMetadata(metadata);
  expect(metadata.token_endpoint_auth_method).toBe('none');
});

test('a client that registers has a secret unless it says otherwise', () => {
  const metadata: Record<string, unknown> = {
    client_id: 'client_1',
    token_endpoint_auth_method: 'client_secret_basic',
    redirect_uris,
  };
  adjustMetadata(metadata);
  expect(metadata.token_endpoint_auth_method).toBe('client_secret_basic');
});
