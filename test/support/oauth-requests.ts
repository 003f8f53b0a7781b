// Requests to the endpoints of the authorization server, as events of its function: as clients send them, and the browsers
// of people.
import type { Options } from './call-cost.ts';
import {
  type Authorized,
  authorizeUrl,
  exchangeForm,
  newPkce,
  ownPage,
  type Pkce,
  type RegisteredClient,
  readForm,
  redirectUri,
} from './oauth.ts';
import type { Person } from './person.ts';

const at = (method: string, subpath: string) => ({
  address: { method, resource: '/oauth/{subpath+}', subpath },
});

export const lastPart = (url: string): string => new URL(url).pathname.split('/').at(-1) ?? '';

const withCookie = ({ page }: Person) => ({ cookie: page.cookie ?? '' });

export const registerRequest = (): Options => ({
  ...at('POST', 'register'),
  headers: { 'Content-Type': 'application/json' },
  body: { client_name: 'A client', redirect_uris: [redirectUri], token_endpoint_auth_method: 'none' },
});

export const readClientRequest = ({ client_id, registration_access_token }: RegisteredClient): Options => ({
  ...at('GET', `register/${client_id}`),
  headers: { Authorization: `Bearer ${registration_access_token}` },
});

export const authorizeRequest = (clientId: string, pkce: Pkce = newPkce()): Options => ({
  ...at('GET', 'authorize'),
  query: Object.fromEntries(new URL(authorizeUrl(clientId, pkce)).searchParams),
});

/** `url` is the address of the consent page. */
export const showConsentRequest = (person: Person, url: string): Options => ({
  ...at('GET', `consent/${lastPart(url)}`),
  headers: withCookie(person),
});

export async function answerConsentRequest(
  person: Person,
  url: string,
  action: 'allow' | 'refuse',
): Promise<Options> {
  const form = readForm(await (await person.browser.fetch(url)).text());
  form.set('action', action);
  return {
    ...at('POST', `consent/${lastPart(url)}`),
    headers: { ...ownPage(), ...withCookie(person) },
    form: Object.fromEntries(form),
  };
}

interface Refreshable {
  readonly client_id: string;
  readonly refresh_token: string;
}

export const exchangeRequest = (authorized: Authorized): Options => ({ form: exchangeForm(authorized) });

export const refreshRequest = ({ client_id, refresh_token }: Refreshable): Options => ({
  form: { grant_type: 'refresh_token', refresh_token, client_id },
});

export const revokeRequest = ({ client_id, refresh_token: token }: Refreshable): Options => ({
  ...at('POST', 'revoke'),
  form: { token, client_id },
});
