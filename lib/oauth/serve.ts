// The authorization server (OAuth 2.1, OpenID Connect Core 1.0): one function at several addresses. Those for people
// answer pages, those for clients JSON in the form of RFC 6749.

import { ServiceError } from '#lib/errors.ts';
import { anyOrigin } from '#lib/http/cors.ts';
import type { Request } from '#lib/http/request.ts';
import { faultIn } from '#lib/json/guard.ts';
import { tryParse } from '#lib/json/try-parse.ts';
import { requireAddressQuota, requireRegistrationQuota } from '#lib/limits/visitor-quota.ts';
import { type PageAnswer, seeOther } from '#lib/page/page.ts';
import { showRefusedRequest } from './consent-page.ts';
import { endGrant } from './grant.ts';
import { findEndpoint, type OAuthRequest } from './oauth-request.ts';
import { completeAuthorization, completeResource } from './parameters.ts';
import { type ProviderAnswer, runProvider } from './run-provider.ts';

type Serve = (request: OAuthRequest) => Promise<PageAnswer>;

/** By the path below `/oauth/`, and the method. */
const endpoints = new Map<string, Readonly<Partial<Record<string, Serve>>>>([
  ['authorize', { GET: authorize }],
  [
    'consent/{id}',
    {
      // Pages for people, which no request of a client waits for.
      GET: async (request) => await (await import('./consent.ts')).askForConsent(request),
      POST: async (request) => await (await import('./answer-consent.ts')).answerConsent(request),
    },
  ],
  ['register', { POST: register }],
  ['register/{id}', { GET: readClient }],
  ['revoke', { POST: revoke }],
  ['token', { POST: issueToken }],
]);

export async function serve(request: Request): Promise<PageAnswer> {
  const { endpoint, id } = findEndpoint(request.address, request.subpath);
  const methods = id === '' ? undefined : endpoints.get(id === undefined ? endpoint : `${endpoint}/{id}`);
  if (!methods) throw notFound();
  const run = methods[request.method === 'HEAD' ? 'GET' : request.method];
  return run ? await run({ ...request, id: id ?? '' }) : refuseMethod(Object.keys(methods));
}

const notFound = () =>
  new ServiceError('route_not_found', {
    detail: 'The metadata of the authorization server names its endpoints.',
  });

function refuseMethod(methods: readonly string[]): PageAnswer {
  const allowed = [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'];
  const body = {
    error: 'invalid_request',
    error_description: 'The header Allow names the methods of this path.',
  };
  const answer = { status: 405, body, location: undefined, challenge: undefined };
  return { ...toJson(answer), headers: { ...toJson(answer).headers, allow: allowed.sort().join(', ') } };
}

async function authorize(request: OAuthRequest): Promise<PageAnswer> {
  await requireAddressQuota(request.sourceIp, Date.parse(request.at));
  const given = Object.entries(request.rawQuery).flatMap(([name, values = []]) =>
    values.map((value): [string, string] => [name, value]),
  );
  const query = completeAuthorization(new URLSearchParams(given));
  const { status, location, body } = await runProvider({
    method: 'GET',
    path: `/oauth/authorize?${query}`,
  });
  if (location !== undefined) return seeOther(location);
  const { error, error_description = '' } = readError(body);
  return showRefusedRequest(status, error, error_description);
}

const readError = (body: unknown): { readonly error: string; readonly error_description?: string } => ({
  error: 'invalid_request',
  ...(typeof body === 'object' && body),
});

async function register(request: OAuthRequest): Promise<PageAnswer> {
  await requireRegistrationQuota(request.sourceIp, Date.parse(request.at));
  const fault = bodyFault(request.rawBody);
  if (fault === undefined) return toJson(await forward(request, '/oauth/register'));
  const body = { error: 'invalid_client_metadata', error_description: fault };
  return toJson({ status: 400, body, location: undefined, challenge: undefined });
}

/** Undefined also for a text that is no JSON, of which oidc-provider says so. */
function bodyFault(text: string): string | undefined {
  const fault = faultIn(tryParse(text) ?? null);
  return fault && `${fault.path.join('.') || 'the body'} ${fault.detail}`;
}

async function readClient(request: OAuthRequest): Promise<PageAnswer> {
  return toJson(await forward(request, `/oauth/register/${encodeURIComponent(request.id)}`));
}

async function revoke(request: OAuthRequest): Promise<PageAnswer> {
  return toJson(await forward(request, '/oauth/revoke'));
}

/**
 * A code or refresh token that another request has used at the same time counts as one that is used again: whoever has
 * it beside the client loses what both have (RFC 9700 §4.14.2).
 */
async function issueToken(request: OAuthRequest): Promise<PageAnswer> {
  const answer = await forward(request, '/oauth/token');
  if (!answer.isTooLate) return toJson(answer);
  if (answer.grant) await endGrant(answer.grant.grantid);
  const body = { error: 'invalid_grant', error_description: 'grant request is invalid' };
  return toJson({ ...answer, status: 400, body });
}

async function forward(request: OAuthRequest, path: string): Promise<ProviderAnswer> {
  await requireAddressQuota(request.sourceIp, Date.parse(request.at));
  const { authorization, 'content-type': type } = request.headers;
  const isForm = /^application\/x-www-form-urlencoded\s*(;|$)/i.test(type ?? '');
  const body = isForm ? completeResource(new URLSearchParams(request.rawBody)).toString() : request.rawBody;
  requireReadableSize(body);
  return await runProvider({
    method: request.method,
    path,
    headers: { authorization, 'content-type': type },
    body,
  });
}

/** What oidc-provider reads of a body; of a larger one it says only that it cannot be parsed. */
const bodyBytesMax = 56 * 1_024;

function requireReadableSize(body: string): void {
  if (Buffer.byteLength(body) <= bodyBytesMax) return;
  throw new ServiceError('payload_too_large', { detail: `The body may have ${bodyBytesMax} bytes at most.` });
}

/** Pages of any origin may read it: a client in a browser has no cookie here, but a code, a token or a secret. */
const toJson = ({ status, body, challenge }: Omit<ProviderAnswer, 'isTooLate' | 'grant'>): PageAnswer => ({
  text: body === undefined ? '' : JSON.stringify(body),
  contentType: 'application/json',
  status,
  headers: {
    ...anyOrigin,
    'cache-control': 'no-store',
    ...(challenge !== undefined && { 'www-authenticate': challenge }),
  },
});
