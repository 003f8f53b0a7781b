// Where codes may be sent: https, the loopback interface (RFC 8252 §7.3), and apps (§7.1). oidc-provider compares the URI
// of a request with those of the client, character by character but for the port of a loopback address.

const loopbackHosts = new Set(['127.0.0.1', '[::1]', 'localhost']);

/**
 * Schemes of apps that have no dot, which RFC 8252 §8.4 asks for: those of assistants that people use. Whoever claims
 * one of them on a device still cannot use a code without the verifier of the app (PKCE).
 */
const knownSchemes = new Set(['cursor:', 'vscode:', 'vscode-insiders:', 'windsurf:']);

const lengthMax = 2_000;

/** What is wrong with it; undefined for a redirect URI that a client may register. */
export function redirectUriFault(text: string): string | undefined {
  const url = text.length <= lengthMax && /^[\x21-\x7e]+$/.test(text) ? URL.parse(text) : null;
  if (!url || text.includes('\\')) return `must be a URI of ${lengthMax} characters at most`;
  if (text.includes('#')) return 'must not have a fragment';
  if (url.username !== '' || url.password !== '' || /^[\w.+-]+:\/\/[^/?]*@/.test(text))
    return 'must not have a user name or password';
  // Browsers and libraries read such a URI in different ways.
  if (isWeb(url) && !isNormalized(text, url))
    return 'must be written as a browser writes it: scheme and host in lower case, without a default port, . and ..';
  if (url.hostname.includes('*')) return 'must name its host: it is compared character by character';
  return schemeFault(url);
}

function isNormalized(text: string, { origin, pathname }: URL): boolean {
  const [address = ''] = text.split('?');
  return address === origin + pathname || address === origin;
}

const isWeb = ({ protocol }: URL): boolean => protocol === 'https:' || protocol === 'http:';

function schemeFault({ protocol, hostname }: URL): string | undefined {
  const isLoopback = loopbackHosts.has(hostname);
  if (protocol === 'https:') return isLoopback ? 'must use http for a loopback address' : undefined;
  if (protocol === 'http:') return isLoopback ? undefined : 'must use https';
  if (knownSchemes.has(protocol) || /^[a-z][a-z\d-]*(\.[a-z\d-]+)+:$/.test(protocol)) return undefined;
  return 'must use https, a loopback address, or a scheme in reverse domain order such as com.example.app:';
}

/** Whom a code goes to, for people. */
export function describeTarget(text: string): string {
  const { protocol, host, hostname } = new URL(text);
  if (loopbackHosts.has(hostname)) return 'a program on this device';
  return protocol === 'https:' ? host : `the app ${protocol.slice(0, -1)} on this device`;
}
