// Checks in the text of a flow which hosts its requests may name. IP addresses are checked when a request is
// sent.
import { isWrittenAsUrl } from '#lib/web-url.ts';
import { someNames } from './some-names.ts';
import { hasTemplate, parseSegments } from './template-segments.ts';

const label = '[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?';
/**
 * The last label does not begin with a digit, as for every top-level domain. URL parsers read a name whose
 * last label is a number as an IPv4 address.
 */
const name = `(${label}\\.)*[a-z_]([a-z0-9_-]{0,61}[a-z0-9_])?`;
const octet = '(25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])';
const piece = '(0|[1-9a-f][0-9a-f]{0,3})';
const left = (most: number, right: string) => `(${piece}:){1,${most}}${right}`;
const ipv6 = [
  `(${piece}:){7}${piece}`,
  left(7, ':'),
  ...[1, 2, 3, 4, 5, 6].map((most) => left(7 - most, `(:${piece}){1,${most}}`)),
  `:((:${piece}){1,7}|:)`,
].join('|');
const port = '(6553[0-5]|655[0-2][0-9]|65[0-4][0-9]{2}|6[0-4][0-9]{3}|[1-5][0-9]{4}|[1-9][0-9]{0,3})';

/**
 * The pattern of an entry, for the published schemas. It does not check the canonical form of IPv6 addresses
 * and the validity of Punycode.
 */
export const hostPattern = `^((\\*\\.)?${name}|${octet}(\\.${octet}){3}|\\[(${ipv6})\\])(:${port})?$`;
const host = new RegExp(hostPattern);

/**
 * An entry of `egress`, in the form that a URL has: `host` for every port, `host:port` for one port, `*.host`
 * for the subdomains.
 */
export function isEgressEntry(entry: string): boolean {
  if (!host.test(entry)) return false;
  const written = entry.startsWith('*.') ? entry.slice(2) : entry;
  const url = URL.parse(`https://${written}/`);
  return url?.host === written || (written.endsWith(':443') && url?.hostname === written.slice(0, -4));
}

export function isListed(url: URL, egress: readonly string[]): boolean {
  const host = url.hostname;
  const port = url.port || (url.protocol === 'http:' ? '80' : '443');
  return egress.some((entry) =>
    entry.startsWith('*.') ? host.endsWith(entry.slice(1)) : entry === host || entry === `${host}:${port}`,
  );
}

/**
 * Describes the mistake in the URL of a request; undefined if there is none. Scheme and host must be literal
 * text.
 */
export function egressProblem(text: string, egress: readonly string[]): string | undefined {
  const literal = text.includes('{{') ? text.slice(0, text.indexOf('{{')) : text;
  const origin = /^([a-z]+):\/\/([^/?#]+)(?=[/?]|$)/i.exec(literal);
  if (!origin || (hasTemplate(text) && origin[0] === literal)) {
    return 'expected a URL such as "https://api.example.com/orders/{{ state.id }}": the scheme and the host are literal, expressions may stand in the path and the query only';
  }
  if (!isWritten(text)) return 'expected a URL without line breaks, control characters, and spaces around it';
  if (literal.includes('#')) return 'expected a URL without a fragment (#)';
  const url = URL.parse(origin[0]);
  if (!url || url.username || url.password)
    return 'expected a URL with a valid host and without a user name or password';
  return schemeProblem(url) ?? (isListed(url, egress) ? undefined : notListed(url, egress));
}

/**
 * Expressions may contain line breaks, because their values are percent-encoded. An expression that is not
 * closed is reported by the check of expressions.
 */
function isWritten(text: string): boolean {
  try {
    return isWrittenAsUrl(
      parseSegments(text)
        .map((part) => ('text' in part ? part.text : 'x'))
        .join(''),
    );
  } catch {
    return true;
  }
}

/**
 * Plain HTTP is for local development: the guarded fetch refuses loopback hosts unless the operator allows
 * them.
 */
function schemeProblem({ protocol, hostname }: URL): string | undefined {
  if (protocol === 'https:') return undefined;
  const isLoopback = hostname === '127.0.0.1' || hostname === 'localhost';
  return protocol === 'http:' && isLoopback
    ? undefined
    : 'expected the scheme https (http only for 127.0.0.1 and localhost)';
}

const notListed = (url: URL, egress: readonly string[]) =>
  `the host ${url.hostname} is not in \`egress\`: expected ${egress.length > 0 ? `one of ${someNames(egress)}` : `"egress": ["${url.hostname}"]`}`;

/** The same for a URL that must not have expressions. */
export const staticUrlProblem = (text: string, egress: readonly string[]): string | undefined =>
  hasTemplate(text)
    ? 'expected a URL without expressions: what a flow may reach is known before it runs'
    : egressProblem(text, egress);
