// The browser comes back from an OAuth server: its response is checked, its code exchanged for tokens, and these are
// stored, which uses the link up.
import { AuthorizationResponseError, validateAuthResponse } from 'oauth4webapi';
import { type ConnectionBody, connectionBody } from '#lib/connection/connection.ts';
import { requestTokens, type Tokens } from '#lib/connection/token-endpoint.ts';
import { errorTable, ServiceError } from '#lib/errors.ts';
import { NodeError } from '#lib/flow/format/node-error.ts';
import type { Request } from '#lib/http/request.ts';
import { requireAddressQuota } from '#lib/limits/visitor-quota.ts';
import { type PageAnswer, seeOther } from '#lib/page/page.ts';
import { showProblem } from '#lib/page/problem-page.ts';
import { makeLinkUrl, makeToken } from '#lib/run/configuration-link.ts';
import { readRun } from '#lib/run/run-items.ts';
import {
  callbackUrl,
  findClient,
  guardedFetch,
  type OauthClient,
  type OauthDeclaration,
} from './oauth-client.ts';
import { deriveVerifier, isStateOf, parseState, readBrowser } from './oauth-state.ts';
import { findWanted, type OpenedLink, openLink, type WantedConnection } from './open-link.ts';
import { showLinkState } from './show.ts';
import { storeAndContinue } from './store-and-continue.ts';

interface CallbackQuery {
  readonly state?: string | undefined;
  readonly code?: string | undefined;
  readonly error?: string | undefined;
  readonly iss?: string | undefined;
}

interface Returned {
  readonly link: OpenedLink;
  readonly connection: string;
  readonly state: string;
  readonly browser: string;
}

export async function finishConnect(request: Request<unknown, CallbackQuery>): Promise<PageAnswer> {
  const nowMs = Date.parse(request.at);
  await requireAddressQuota(request.sourceIp, nowMs);
  const returned = await readReturned(request, nowMs);
  const { link } = returned;
  if (link.state === 'used') return await showLinkState(link, nowMs, 409);
  try {
    return await finish(request, returned);
  } catch (error) {
    return showFailure(error, link, request.requestId);
  }
}

/** A response that this browser did not ask for, or asked for too long ago, says nothing about any task. */
async function readReturned(
  { query, headers }: Request<unknown, CallbackQuery>,
  nowMs: number,
): Promise<Returned> {
  const { state = '' } = query;
  const browser = readBrowser(headers.cookie);
  const content = parseState(state);
  const run = content && (await readRun(content.task));
  if (
    !content ||
    !run ||
    browser === undefined ||
    !(await isStateOf(run, state, browser)) ||
    content.until * 1_000 < nowMs
  )
    throw new ServiceError('authorization_failed', {
      detail:
        'This browser has not asked for it, or too long ago. Open the link of the agent again, in the browser in which you want to sign in.',
    });
  const token = await makeToken(run, content);
  return {
    link: await openLink({ taskId: run.run_id, token }, nowMs),
    connection: content.connection,
    state,
    browser,
  };
}

async function finish(request: Request<unknown, CallbackQuery>, returned: Returned): Promise<PageAnswer> {
  const { link, connection } = returned;
  const wanted = await findWanted(link);
  const current = wanted.find(({ name, isStorable }) => isStorable && name === connection);
  if (!current?.oauth) return seeOther(makeLinkUrl(link.run, link.token));
  const body = await fetchConnection(request.query, returned, { ...current, oauth: current.oauth });
  return await storeAndContinue(request, link, { wanted, current, body });
}

async function fetchConnection(
  query: CallbackQuery,
  { link, state, browser }: Returned,
  wanted: WantedConnection & { readonly oauth: OauthDeclaration },
): Promise<ConnectionBody> {
  const { oauth, name } = wanted;
  const client = await findClient(link.run, oauth);
  const code = readCode(query, client, oauth, state);
  const grant = {
    grant_type: 'authorization_code',
    code,
    redirect_uri: callbackUrl(),
    code_verifier: await deriveVerifier(link.run, state, browser),
  };
  const tokens = await requestTokens(guardedFetch(), { name, client, grant, scopes: undefined }, Date.now);
  return toConnection(wanted, client, tokens);
}

/** RFC 6749 §4.1.2, and RFC 9207 for a server that names itself. Throws what the server refused with. */
function readCode(
  query: CallbackQuery,
  { client_id }: OauthClient,
  { issuer, authorization_url }: OauthDeclaration,
  state: string,
): string {
  const given = Object.entries(query).filter((pair): pair is [string, string] => pair[1] !== undefined);
  const server = { issuer: issuer ?? new URL(authorization_url).origin };
  const checked = validateAuthResponse(server, { client_id }, new URLSearchParams(given), state);
  const code = checked.get('code');
  if (code) return code;
  throw failed('The server has sent no code.');
}

/** What is stored must be readable later, so it is checked like what the API takes. */
function toConnection(
  { scope, label, hosts, oauth }: WantedConnection & { readonly oauth: OauthDeclaration },
  { token_url, client_id, client_secret, client_auth }: OauthClient,
  { accessToken, expiresAt, refreshToken }: Tokens,
): ConnectionBody {
  if (!refreshToken)
    throw failed(
      'The server gives access only for a short time (no refresh token). Whoever made the agent must ask for offline access.',
    );
  const parsed = connectionBody.safeParse({
    type: 'oauth_user',
    scope,
    ...(label !== undefined && { label }),
    hosts,
    credential: {
      token_url,
      client_id,
      ...(client_secret && { client_secret: client_secret.reveal() }),
      ...(client_auth && { client_auth }),
      refresh_token: refreshToken.reveal(),
      access_token: accessToken.reveal(),
      expires_at: new Date(expiresAt).toISOString(),
      ...(oauth.scopes && { scopes: oauth.scopes }),
    },
  });
  if (parsed.success) return parsed.data;
  throw failed('The server has sent tokens that cannot be stored.');
}

const failed = (detail: string) => new ServiceError('authorization_failed', { detail });

/** Nothing was stored and the link is still good, unless it has expired: then its page offers another. */
function showFailure(error: unknown, { run, token }: OpenedLink, requestId: string): PageAnswer {
  const failure = toFailure(error);
  if (!failure) throw error;
  const { title, status } = errorTable[failure.code];
  return showProblem(
    {
      type: 'about:blank',
      title,
      status,
      detail: failure.detail ?? title,
      instance: requestId,
      code: failure.code,
    },
    makeLinkUrl(run, token),
  );
}

function toFailure(error: unknown): ServiceError | undefined {
  if (error instanceof ServiceError) return error.code === 'authorization_failed' ? error : undefined;
  if (error instanceof AuthorizationResponseError)
    return failed(
      error.error === 'access_denied'
        ? 'You did not give access. Nothing was stored.'
        : `The server refused: ${/^[a-z_]{1,40}$/.test(error.error) ? error.error : 'without a reason'}. Nothing was stored.`,
    );
  if (error instanceof NodeError) return failed(`${error.message} Nothing was stored.`);
  // Errors of the library: a response of another server, or a malformed one.
  if (error instanceof Error && 'code' in error && String(error.code).startsWith('OAUTH_'))
    return failed('The response did not come from the server that was asked. Nothing was stored.');
  return undefined;
}
