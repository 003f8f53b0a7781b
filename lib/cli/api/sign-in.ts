// Signs a person in with their browser, and stores what the service allows the command line.
import { createServer, type Server } from 'node:http';
import {
  type AuthorizationServer,
  authorizationCodeGrantRequest,
  calculatePKCECodeChallenge,
  dynamicClientRegistrationRequest,
  generateRandomCodeVerifier,
  generateRandomState,
  processAuthorizationCodeResponse,
  processDynamicClientRegistrationResponse,
  validateAuthResponse,
} from 'oauth4webapi';
import { oauthScopes } from '#lib/access/oauth-scope.ts';
import { closeServer, listen } from '#lib/local/listen.ts';
import { CommandFailure } from '../command-failure.ts';
import { exitCodes } from '../exit-codes.ts';
import { withProgress } from '../waiting.ts';
import { discover, noSecret, publicClient, requestOptions } from './authorization-server.ts';
import type { OAuthSignIn } from './profiles.ts';

const patienceMs = 300_000;

/** `show` gets the address that a browser must open. */
export async function signIn(url: string, show: (address: string) => void): Promise<OAuthSignIn> {
  const server = await discover(url);
  const answer = Promise.withResolvers<URL>();
  const loopback = createServer(({ url: path = '/' }, response) => {
    const at = new URL(path, 'http://127.0.0.1');
    if (at.pathname !== '/callback') return void response.writeHead(404).end();
    response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' });
    response.end('You can close this page and go on in the terminal.');
    answer.resolve(at);
  });
  const timer = setTimeout(() => answer.reject(tooLate()), patienceMs);
  try {
    const redirectUri = `${await listen(loopback, 0)}/callback`;
    return await authorize(server, url, redirectUri, show, answer.promise);
  } finally {
    clearTimeout(timer);
    await close(loopback);
  }
}

const tooLate = () =>
  new CommandFailure('Nobody signed in within five minutes.', { exitCode: exitCodes.credentials });

async function close(server: Server): Promise<void> {
  server.closeAllConnections();
  await closeServer(server);
}

async function authorize(
  server: AuthorizationServer,
  resource: string,
  redirectUri: string,
  show: (address: string) => void,
  answered: Promise<URL>,
): Promise<OAuthSignIn> {
  const clientId = await register(server, redirectUri);
  const [verifier, state] = [generateRandomCodeVerifier(), generateRandomState()];
  const address = new URL(server.authorization_endpoint ?? '');
  const parameters = {
    ...{ response_type: 'code', client_id: clientId, redirect_uri: redirectUri, state, resource },
    ...{ code_challenge: await calculatePKCECodeChallenge(verifier), code_challenge_method: 'S256' },
    // All of them, since members are invited by those who may do at least as much. The role of the person limits it,
    // and the page of the service shows it.
    scope: oauthScopes.join(' '),
  };
  for (const [name, value] of Object.entries(parameters)) address.searchParams.set(name, value);
  show(address.href);
  const client = publicClient(clientId);
  const callback = await withProgress('Waiting for you to sign in', answered);
  const allowed = readAnswer(() => validateAuthResponse(server, client, callback, state));
  const response = await authorizationCodeGrantRequest(
    server,
    client,
    noSecret,
    allowed,
    redirectUri,
    verifier,
    {
      ...requestOptions,
      additionalParameters: { resource },
    },
  );
  const tokens = await processAuthorizationCodeResponse(server, client, response);
  return {
    clientId,
    issuer: server.issuer,
    accessToken: tokens.access_token,
    expiresAt: Date.now() + (tokens.expires_in ?? 0) * 1_000,
    ...(tokens.refresh_token !== undefined && { refreshToken: tokens.refresh_token }),
  };
}

async function register(server: AuthorizationServer, redirectUri: string): Promise<string> {
  const metadata = {
    client_name: 'Agent Flow command line',
    redirect_uris: [redirectUri],
    token_endpoint_auth_method: 'none',
  };
  const response = await dynamicClientRegistrationRequest(server, metadata, requestOptions);
  return (await processDynamicClientRegistrationResponse(response)).client_id;
}

/** A person who refuses is no defect. */
function readAnswer<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    const reason =
      error instanceof Error && 'error' in error ? String(error.error) : 'the answer is not valid';
    throw new CommandFailure(`Signing in failed: ${reason}.`, { exitCode: exitCodes.credentials });
  }
}
