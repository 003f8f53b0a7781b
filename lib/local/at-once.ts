// Sends people who open the web console and are not signed in to the sign-in, as its own button does: the local identity
// provider then signs them in without a click.
import type { Answer } from './listen.ts';
import { isOwnNavigation } from './own-navigation.ts';

/** A session that has expired is left to the console, so that a browser that keeps no cookies is not sent in circles. */
export const signedInAtOnce =
  (otherwise: Answer): Answer =>
  async (request, response) => {
    const { method, url = '/', headers } = request;
    const isConsole = /^\/console(\/(?!assets\/)[^?]*)?(\?|$)/.test(url);
    const isKnown = headers.cookie?.includes('agent-flow-') ?? false;
    if (method !== 'GET' || !isConsole || isKnown || !isOwnNavigation(request))
      return await otherwise(request, response);
    request.resume();
    const query = new URLSearchParams({ return_to: url });
    return response.writeHead(302, { location: `/auth/login?${query}`, 'cache-control': 'no-store' }).end();
  };
