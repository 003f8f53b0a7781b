// The endpoints of the authorization server in the OpenAPI document, beside those that are rows of the route table. Their
// parameters are those of the RFCs. Only lib/routes/openapi.ts imports it.
import * as z from 'zod';
import type { ZodOpenApiOperationObject, ZodOpenApiPathsObject } from 'zod-openapi';
import { oauthRoutes } from './oauth-routes.ts';
import { oauthError } from './openapi-problems.ts';

type Headers = Readonly<Record<string, { readonly $ref: string }>>;

const page = { 'text/html': { schema: z.string().meta({ id: 'AuthorizationPage' }) } };
const json = (schema: z.ZodType) => ({ 'application/json': { schema } });

const text = (description: string) => z.string().meta({ description });
const authorizationParameters = z.object({
  response_type: z.literal('code').meta({ description: 'Codes alone are issued.' }),
  client_id: text('Of a client that has registered, or the URL of a client id metadata document.'),
  redirect_uri: text('One of those of the client; the port of a loopback address may differ.'),
  code_challenge: text('PKCE (RFC 7636).'),
  code_challenge_method: z.literal('S256').meta({ description: 'PKCE by S256 alone.' }),
  scope: text('The usual ones of the resource unless given.').optional(),
  resource: text('The connector unless given (RFC 8707).').optional(),
  state: text('Sent back as it is.').optional(),
  prompt: text('`login`, `select_account`, `consent` or `none`.').optional(),
});
const uid = z.object({ uid: text('The request of a client, from the address in `Location`.') });
const clientId = z.object({ client_id: text('The client.') });
const clientMetadata = z
  .looseObject({ redirect_uris: z.array(z.string()), client_name: z.string().optional() })
  .meta({ id: 'OAuthClientMetadata' });
const registeredClient = z
  .looseObject({ client_id: z.string(), redirect_uris: z.array(z.string()) })
  .meta({ id: 'OAuthClient' });

interface Endpoint {
  readonly method: 'get' | 'post';
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly path?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly form?: Readonly<Record<string, string>>;
  readonly body?: { readonly schema: z.ZodType; readonly example: object };
  readonly success: readonly [status: '200' | '201' | '303', description: string, content?: object];
  readonly isPage?: true;
}

const endpoints: Readonly<Record<string, readonly Endpoint[]>> = {
  '/oauth/authorize': [
    {
      method: 'get',
      operationId: 'authorizeClient',
      summary: 'Ask a person for access',
      description:
        'The authorization endpoint, for browsers. 303 leads to the consent page, or back to the client with an error.',
      query: authorizationParameters,
      success: ['303', 'The consent page, or the redirect URI with an error.'],
      isPage: true,
    },
  ],
  '/oauth/consent/{uid}': [
    {
      method: 'get',
      operationId: 'showConsent',
      summary: 'Show what a client asks for',
      description: 'A page. Without a session, 303 leads to `/auth/login` first.',
      path: uid,
      success: ['200', 'The page.', page],
      isPage: true,
    },
    {
      method: 'post',
      operationId: 'answerConsent',
      summary: 'Send the form of that page',
      description: 'For pages of the service. The page that follows leads back to the client.',
      path: uid,
      form: { token: '<TOKEN>', orgid: 'org_demo', workspace: '*', workspaces: '', action: 'allow' },
      success: ['200', 'The page that leads back to the client.', page],
      isPage: true,
    },
  ],
  '/oauth/register': [
    {
      method: 'post',
      operationId: 'registerClient',
      summary: 'Register a client',
      description:
        'Dynamic client registration (RFC 7591). A client that nobody has allowed anything ends after a week.',
      body: {
        schema: clientMetadata,
        example: { client_name: 'My assistant', redirect_uris: ['http://127.0.0.1:33418/callback'] },
      },
      success: ['201', 'The client.', json(registeredClient)],
    },
  ],
  '/oauth/register/{client_id}': [
    {
      method: 'get',
      operationId: 'getClient',
      summary: 'Read a client that has registered',
      description: 'With its `registration_access_token` as a bearer token (RFC 7592).',
      path: clientId,
      success: ['200', 'The client.', json(registeredClient)],
    },
  ],
  '/oauth/revoke': [
    {
      method: 'post',
      operationId: 'revokeToken',
      summary: 'Give access back',
      description:
        'Revocation of a refresh token (RFC 7009): its grant ends, and its access tokens are refused within a minute.',
      form: { token: '<REFRESH_TOKEN>', client_id: 'client_0Qv7m3Xb9sYt1ZcR5nKp8WgLd2HfJ4aE6uVxTqMyBwo' },
      success: ['200', 'It is not good any more, whatever it was.'],
    },
  ],
};

export const describeOAuthPaths = (headers: Headers): ZodOpenApiPathsObject =>
  Object.fromEntries(
    Object.entries(endpoints).map(([path, operations]) => [
      path,
      Object.fromEntries(operations.map((each) => [each.method, describeEndpoint(each, headers)])),
    ]),
  );

function describeEndpoint(endpoint: Endpoint, headers: Headers): ZodOpenApiOperationObject {
  const { method, operationId, summary, description, path, query, success, isPage } = endpoint;
  const [status, what, content] = success;
  const errorContent = isPage ? page : json(oauthError);
  const error = (meaning: string) => ({ description: meaning, headers, content: errorContent });
  return {
    operationId,
    tags: [oauthRoutes.issueToken.tag],
    summary,
    description,
    security: [],
    requestParams: { ...(path && { path }), ...(query && { query }) },
    ...requestBody(endpoint),
    responses: {
      [status]: { description: what, headers, ...(content && { content }) },
      400: error('The request is not valid.'),
      ...(isPage && { 403: error('The form comes from another site or session.') }),
      ...(isPage && { 404: error('The request is not known, or was answered.') }),
      ...(!isPage && { 401: error('The client or the token is not valid.') }),
      ...(isPage && method === 'post' && { 409: error('The request has been answered.') }),
      ...(method === 'post' && { 413: error('The body is too large.') }),
      ...(isPage && method === 'post' && { 415: error('The body is no form.') }),
      429: error('Too many requests.'),
      503: error('A service we depend on is not available.'),
    },
  };
}

function requestBody({ form, body }: Endpoint) {
  if (body) return { requestBody: { required: true, content: { 'application/json': body } } };
  if (!form) return {};
  const content = { schema: { type: 'object' as const }, example: form };
  return { requestBody: { required: true, content: { 'application/x-www-form-urlencoded': content } } };
}
