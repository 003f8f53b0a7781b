// The authorization server of a service (docs/connect.md), for which the command line is a public client on loopback
// (RFC 8252): code with PKCE, no secret.
import {
  type AuthorizationServer,
  allowInsecureRequests,
  type Client,
  discoveryRequest,
  None,
  processDiscoveryResponse,
} from 'oauth4webapi';
import { networkFailure } from './problem.ts';

/** `npm start` serves http on loopback; a key goes nowhere else without https. */
export const requestOptions = { [allowInsecureRequests]: true } as const;
export const noSecret = None();

/** Below the URL of the service, also where that has a stage. */
export async function discover(url: string): Promise<AuthorizationServer> {
  const issuer = new URL(url);
  const response = await discoveryRequest(issuer, { ...requestOptions, algorithm: 'oidc' }).catch(
    (error: unknown) => {
      throw networkFailure('Finding the authorization server', url, error);
    },
  );
  return await processDiscoveryResponse(issuer, response);
}

export const publicClient = (clientId: string): Client => ({ client_id: clientId });
