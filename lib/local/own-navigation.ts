// Whether a person opened an address: by typing it, or by a link on a page of this machine. A page of another site must
// not sign anybody in by sending the browser here.
import type { IncomingMessage } from 'node:http';

/**
 * By the Fetch Metadata headers (https://w3c.github.io/webappsec-fetch-metadata/), which pages cannot set, and which
 * consider all redirects on the way. Programs that are not browsers send none, and choose a user by the form.
 */
export function isOwnNavigation({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  const site = headers['sec-fetch-site'];
  return (
    headers['sec-fetch-mode'] === 'navigate' &&
    headers['sec-fetch-dest'] === 'document' &&
    (site === 'none' || site === 'same-origin' || site === 'same-site')
  );
}
