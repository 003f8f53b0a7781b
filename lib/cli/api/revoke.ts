// Ends what a person allowed the command line.
import { processRevocationResponse, revocationRequest } from 'oauth4webapi';
import { note } from '../print.ts';
import { discover, noSecret, publicClient, requestOptions } from './authorization-server.ts';
import type { OAuthSignIn } from './profiles.ts';

/** A service that is gone does not keep a person from forgetting it. */
export async function revoke({ clientId, issuer, accessToken, refreshToken }: OAuthSignIn): Promise<void> {
  try {
    const server = await discover(issuer);
    const token = refreshToken ?? accessToken;
    await processRevocationResponse(
      await revocationRequest(server, publicClient(clientId), noSecret, token, requestOptions),
    );
  } catch {
    note('The service did not confirm that the access ended. It expires by itself.');
  }
}
