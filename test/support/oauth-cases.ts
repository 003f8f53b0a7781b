// The requests to the authorization server whose AWS calls docs/aws-calls.md counts: as clients send them, and the
// browsers of people. This process has verified the session of the person before.
import { type Case, invoke } from './call-cost.ts';
import type { TestCaller } from './caller.ts';
import { authorizeUrl, exchange, newClient, newCode, newPkce, openConsent, readTokens } from './oauth.ts';
import {
  answerConsentRequest,
  authorizeRequest,
  exchangeRequest,
  refreshRequest,
  registerRequest,
  revokeRequest,
  showConsentRequest,
} from './oauth-requests.ts';
import { newPerson, type Person } from './person.ts';

const withoutKey = { 'X-API-Key': '' };

async function newMember(caller: TestCaller): Promise<Person> {
  const person = await newPerson({ orgid: caller.orgid });
  await invoke('getMe', caller, { headers: { ...person.page, ...withoutKey } });
  return person;
}

async function askedFor(caller: TestCaller): Promise<{ readonly person: Person; readonly url: string }> {
  const person = await newMember(caller);
  const client = await newClient();
  return { person, url: await openConsent(person.browser, authorizeUrl(client.client_id, newPkce())) };
}

async function refreshable(caller: TestCaller) {
  const authorized = await newCode((await newMember(caller)).browser);
  const { refresh_token = '' } = await readTokens(await exchange(authorized));
  return { refresh_token, client_id: authorized.client.client_id };
}

export const oauthCases: Readonly<Record<string, Case>> = {
  'oauth: register a client': { operation: 'issueToken', prepare: async () => registerRequest() },
  'oauth: ask for access': {
    operation: 'issueToken',
    prepare: async () => authorizeRequest((await newClient()).client_id),
  },
  'oauth: show the consent page': {
    operation: 'issueToken',
    prepare: async (caller) => {
      const { person, url } = await askedFor(caller);
      return showConsentRequest(person, url);
    },
  },
  'oauth: allow what a client asks for': {
    operation: 'issueToken',
    hasCode: true,
    prepare: async (caller) => {
      const { person, url } = await askedFor(caller);
      return await answerConsentRequest(person, url, 'allow');
    },
  },
  'oauth: exchange a code': {
    operation: 'issueToken',
    hasCode: true,
    prepare: async (caller) => exchangeRequest(await newCode((await newMember(caller)).browser)),
  },
  'oauth: refresh a token': {
    operation: 'issueToken',
    hasCode: true,
    prepare: async (caller) => refreshRequest(await refreshable(caller)),
  },
  'oauth: revoke a token': {
    operation: 'issueToken',
    prepare: async (caller) => revokeRequest(await refreshable(caller)),
  },
  'oauth: metadata': { operation: 'getAuthorizationServerMetadata', prepare: async () => ({}) },
};
