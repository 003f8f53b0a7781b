// The URL of a receiver of callers: of callbacks, and of telemetry. Only its form is checked here; the guarded fetch checks
// the address when it connects.
import { webUrl } from './web-url.ts';

/**
 * For receivers on a laptop, which `EGRESS_ALLOW_PRIVATE` has to name there. Where it does not, and on AWS
 * always, the first delivery gives these up.
 */
const loopback = new Set(['127.0.0.1', 'localhost', '[::1]']);

export const receiverUrl = () =>
  webUrl({ error: 'must be a URL', max: 2_048 }).refine((text) => {
    const { protocol, hostname, username, password, hash } = URL.parse(text) ?? {};
    const isSafe = protocol === 'https:' || (protocol === 'http:' && loopback.has(hostname ?? ''));
    return isSafe && !username && !password && !hash;
  }, 'must be an https URL without user name, password or fragment');
