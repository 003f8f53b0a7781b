// A request to each endpoint of the authorization server, for tests that look at what it reads and writes, with the ids
// under which its items are stored.
import { hash } from 'node:crypto';
import { decodeJwt } from 'jose';
import * as z from 'zod';
import type { Options } from './call-cost.ts';
import {
  authorizeUrl,
  exchange,
  newClient,
  newCode,
  newPkce,
  openConsent,
  readRedirect,
  readTokens,
} from './oauth.ts';
import {
  answerConsentRequest,
  authorizeRequest,
  exchangeRequest,
  lastPart,
  readClientRequest,
  refreshRequest,
  registerRequest,
  revokeRequest,
  showConsentRequest,
} from './oauth-requests.ts';
import type { Person } from './person.ts';

export interface EndpointRequest {
  readonly options: Options;
  readonly status: number;
  /** Of the client, the codes and tokens, and the grant: those that the request names, and those in its answer. */
  readonly listIds: (answer: EndpointAnswer) => readonly string[] | Promise<readonly string[]>;
}

interface EndpointAnswer {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const hashed = (...texts: readonly string[]) => texts.map((text) => hash('sha256', text, 'base64url'));

const tokens = z.object({ access_token: z.string(), refresh_token: z.string() });
/** The refresh token, and the grant of the access token. */
const idsOfTokens = (answer: unknown) => {
  const { access_token, refresh_token } = tokens.parse(answer);
  return [...hashed(refresh_token), String(decodeJwt(access_token).grant)];
};

async function askFor({ browser }: Person) {
  const client = await newClient();
  const pkce = newPkce();
  const url = await openConsent(browser, authorizeUrl(client.client_id, pkce));
  return { client, pkce, url, ids: hashed(client.client_id, lastPart(url)) };
}

const answered =
  (action: 'allow' | 'refuse') =>
  async (person: Person): Promise<EndpointRequest> => {
    const { client, pkce, url, ids } = await askFor(person);
    return {
      options: await answerConsentRequest(person, url, action),
      status: 200,
      listIds: async ({ body }) => {
        const code = readRedirect(body).searchParams.get('code');
        if (code === null) return ids;
        return [
          ...ids,
          ...hashed(code),
          ...idsOfTokens(await readTokens(await exchange({ client, pkce, code }))),
        ];
      },
    };
  };

async function refreshable({ browser }: Person) {
  const authorized = await newCode(browser);
  const { client_id } = authorized.client;
  const given = { client_id, ...tokens.parse(await readTokens(await exchange(authorized))) };
  return { given, ids: [...hashed(client_id), ...idsOfTokens(given)] };
}

const registered = z.object({ client_id: z.string(), registration_access_token: z.string() });
const idsOfClient = (body: string) => {
  const { client_id, registration_access_token } = registered.parse(JSON.parse(body));
  return hashed(client_id, registration_access_token);
};

export const endpointRequests: Readonly<Record<string, (person: Person) => Promise<EndpointRequest>>> = {
  'register a client': async () => ({
    options: registerRequest(),
    status: 201,
    listIds: ({ body }) => idsOfClient(body),
  }),
  'read a registration': async () => {
    const client = await newClient();
    return {
      options: readClientRequest(client),
      status: 200,
      listIds: () => hashed(client.client_id, client.registration_access_token),
    };
  },
  'ask for access': async () => {
    const { client_id } = await newClient();
    return {
      options: authorizeRequest(client_id),
      status: 303,
      listIds: ({ headers }) => hashed(client_id, lastPart(headers.location ?? '')),
    };
  },
  'show the consent page': async (person) => {
    const { url, ids } = await askFor(person);
    return {
      options: showConsentRequest(person, url),
      status: 200,
      listIds: () => ids,
    };
  },
  'allow what a client asks for': answered('allow'),
  'refuse what a client asks for': answered('refuse'),
  'exchange a code': async ({ browser }) => {
    const authorized = await newCode(browser);
    return {
      options: exchangeRequest(authorized),
      status: 200,
      listIds: ({ body }) => [
        ...hashed(authorized.client.client_id, authorized.code),
        ...idsOfTokens(JSON.parse(body)),
      ],
    };
  },
  'refresh a token': async (person) => {
    const { given, ids } = await refreshable(person);
    return {
      options: refreshRequest(given),
      status: 200,
      listIds: ({ body }) => [...ids, ...idsOfTokens(JSON.parse(body))],
    };
  },
  'revoke a token': async (person) => {
    const { given, ids } = await refreshable(person);
    return {
      options: revokeRequest(given),
      status: 200,
      listIds: () => ids,
    };
  },
};
