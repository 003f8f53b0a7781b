// The storage of oidc-provider on the control table. Reads are strongly consistent and immediate; writes join the
// transaction of the request (`request-state.ts`).
import type { Adapter, AdapterPayload } from 'oidc-provider';
import { grantItemKey, toGrantItem } from '#lib/access/grant-items.ts';
import { mustNotExist } from '#lib/dynamo/conditions.ts';
import type { TransactionAction } from '#lib/dynamo/transactions.ts';
import { addClientSecret } from './client-secret.ts';
import { readStoredGrant, type StoredGrant } from './grant.ts';
import {
  consumeAction,
  insertAction,
  keepAction,
  readStored,
  removeAction,
  type StoredModel,
  takeAction,
} from './oauth-items.ts';
import { requestState } from './request-state.ts';

const seconds = () => Math.floor(Date.now() / 1_000);

/** Nobody who registers a client and does not use it for a week comes back. Consent extends it. */
const unusedClientSeconds = 7 * 86_400;

export const registeredClientPrefix = 'client_';

const nothing = async () => undefined;

/** What is looked up by other ids belongs to features that are switched off. */
const byIdOnly = { findByUid: nothing, findByUserCode: nothing };

/** Tokens end with their grant, without which none is accepted or refreshed. */
const stored = (model: StoredModel): Adapter => ({
  ...byIdOnly,
  upsert: async (id, { jti: _, returnTo: __, ...payload }, expiresIn = unusedClientSeconds) => {
    requestState().writes.push(insertAction(model, id, { payload, expires_at: seconds() + expiresIn }));
  },
  find: async (id) => {
    const found = await readStored(model, id);
    if (!found) return undefined;
    const { payload, consumed_at } = found;
    return { ...payload, jti: id, ...(consumed_at !== undefined && { consumed: consumed_at }) };
  },
  consume: async (id) => void requestState().writes.push(consumeAction(model, id, seconds())),
  destroy: async (id) => void requestState().writes.push(removeAction(model, id)),
  revokeByGrantId: nothing,
});

/** The request of a client while a person is asked. It is answered once. */
const interactions: Adapter = {
  ...stored('Interaction'),
  find: async (uid) => {
    const found = await stored('Interaction').find(uid);
    const { consent } = requestState();
    return found && consent?.uid === uid ? { ...found, result: toResult(consent) } : found;
  },
  destroy: async (uid) => void requestState().writes.push(takeAction('Interaction', uid)),
};

function toResult({ grant, signedInAt }: NonNullable<ReturnType<typeof requestState>['consent']>) {
  if (!grant) return { error: 'access_denied', error_description: 'The person has refused.' };
  return {
    login: { accountId: grant.userid, ts: signedInAt },
    consent: { grantId: grant.grantid },
    select_account: {},
  };
}

/** A code is stored together with what it stands for. */
const codes: Adapter = {
  ...stored('AuthorizationCode'),
  upsert: async (id, payload, expiresIn) => {
    await stored('AuthorizationCode').upsert(id, payload, expiresIn);
    const { consent, writes } = requestState();
    if (consent?.grant) writes.push(...storeGrant(consent.grant));
  },
};

function storeGrant(grant: StoredGrant): TransactionAction[] {
  const put = { Put: { Item: toGrantItem(grant), ...mustNotExist } };
  if (!isRegistered(grant.clientid)) return [put];
  return [put, keepAction('Client', grant.clientid, Math.ceil(Date.parse(grant.expires_at) / 1_000))];
}

/** Others are known by the URL of their metadata document. */
const isRegistered = (clientId: string): boolean => clientId.startsWith(registeredClientPrefix);

const clients: Adapter = {
  ...stored('Client'),
  upsert: async (id, { client_secret: _, ...payload }) => await stored('Client').upsert(id, payload),
  find: async (id) => {
    const found = await readStored('Client', id);
    return found && (await addClientSecret(id, found.payload));
  },
};

const grants: Adapter = {
  ...byIdOnly,
  upsert: async () => {
    throw new Error('The consent page alone makes grants.');
  },
  find: async (id) => {
    const state = requestState();
    const given = state.consent?.grant;
    state.grant = given?.grantid === id ? given : await readStoredGrant(id, Date.now());
    return state.grant && toPayload(state.grant);
  },
  consume: nothing,
  destroy: async (id) => void requestState().writes.push({ Delete: { Key: grantItemKey(id) } }),
  revokeByGrantId: nothing,
};

const toPayload = (grant: StoredGrant): AdapterPayload => ({
  jti: grant.grantid,
  kind: 'Grant',
  accountId: grant.userid,
  clientId: grant.clientid,
  iat: Math.floor(Date.parse(grant.created_at) / 1_000),
  exp: Math.floor(Date.parse(grant.expires_at) / 1_000),
  resources: { [grant.resource]: grant.scopes.filter((scope) => scope !== 'openid').join(' ') },
  ...(grant.scopes.includes('openid') && { openid: { scope: 'openid' } }),
});

/** The session of this service says who is signed in, so that of oidc-provider lasts for one request. */
const unstored: Adapter = {
  ...byIdOnly,
  upsert: nothing,
  find: nothing,
  consume: nothing,
  destroy: nothing,
  revokeByGrantId: nothing,
};

const adapters: Readonly<Record<string, Adapter>> = {
  Client: clients,
  Grant: grants,
  Interaction: interactions,
  AuthorizationCode: codes,
  RefreshToken: stored('RefreshToken'),
  RegistrationAccessToken: stored('RegistrationAccessToken'),
  ReplayDetection: stored('ReplayDetection'),
};

export const findAdapter = (model: string): Adapter => adapters[model] ?? unstored;
