// What a client says about itself, when it registers (RFC 7591) or in its metadata document, and what becomes of it.
// RFC 7591 §3.2.1 lets a server replace what it does not support; clients compare what they get.
import { errors } from 'oidc-provider';
import { redirectUriFault } from './redirect-uri.ts';

type Metadata = Record<string, unknown>;

const redirectUrisMax = 20;
const grantTypes = ['authorization_code', 'refresh_token'];

/**
 * Changes the metadata in place, as oidc-provider wants it. `scope` is dropped, since a client that asks for more later
 * would be bound to what it asked for first.
 */
export function adjustMetadata(metadata: Metadata): void {
  requireRedirectUris(metadata.redirect_uris);
  // Clients on a device may use any port, and those on the web are what RFC 8252 §7.2 describes.
  metadata.application_type = 'native';
  metadata.grant_types = keepSupported(metadata.grant_types, grantTypes);
  metadata.response_types = ['code'];
  metadata.response_modes = ['query'];
  if (isSecretless(metadata)) metadata.token_endpoint_auth_method = 'none';
  delete metadata.scope;
  delete metadata.default_acr_values;
  delete metadata.default_max_age;
  delete metadata.require_auth_time;
  const name = metadata.client_name;
  if (typeof name === 'string') metadata.client_name = readableName(name);
}

/**
 * oidc-provider refuses documents that name a method with a secret, so what is here is the default of RFC 7591 §2, for
 * which a client that is known by its document cannot have a secret.
 */
const isSecretless = ({ client_id: id, token_endpoint_auth_method: method }: Metadata): boolean =>
  typeof id === 'string' && id.startsWith('https:') && method === 'client_secret_basic';

function requireRedirectUris(uris: unknown): void {
  if (!Array.isArray(uris) || uris.length === 0 || uris.length > redirectUrisMax)
    throw new errors.InvalidClientMetadata(`redirect_uris must be a list of 1 to ${redirectUrisMax} URIs`);
  for (const uri of uris) {
    const fault = typeof uri === 'string' ? redirectUriFault(uri) : 'must be a text';
    if (fault === undefined) continue;
    const error_description = `each of redirect_uris ${fault}`;
    throw Object.assign(new errors.InvalidRedirectUri(), { error_description });
  }
}

function keepSupported(given: unknown, supported: readonly string[]): readonly string[] {
  if (!Array.isArray(given)) return supported;
  const kept = supported.filter((each) => given.includes(each));
  return kept.includes('authorization_code') ? kept : ['authorization_code', ...kept];
}

/** On one line, and no longer than a page can show. */
const readableName = (text: string): string =>
  text
    .replace(/[\p{C}\p{Z}]+/gu, ' ')
    .trim()
    .slice(0, 100);
