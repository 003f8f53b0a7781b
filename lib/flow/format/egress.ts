// Which hosts a flow's requests may name: checked in the text of the flow, before any run. Addresses are checked when a request is sent.
import { isWrittenAsUrl } from '#lib/web-url.ts';
import { someNames } from './some-names.ts';
import { hasTemplate, segmentsOf } from './template-segments.ts';

const label = '[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?';
/** The last label begins with no digit, as no top-level domain does: URL parsers take one that is a number for an IPv4 address. */
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

/** Of an entry, for the documents. What it cannot say: the one form that URLs show an IPv6 address in, and which names in Punycode there are. */
export const hostPattern = `^((\\*\\.)?${name}|${octet}(\\.${octet}){3}|\\[(${ipv6})\\])(:${port})?$`;
const host = new RegExp(hostPattern);

/** An entry of `egress`: `host` for every port, `host:port` for one, `*.host` for its sub-domains; in the form a URL shows them. */
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

/** What is wrong with the URL of a request, undefined when nothing is. Its scheme and host must be literal text. */
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

/** Expressions stand on lines of their own if their author likes; what they give is encoded. One that is not closed is told by the check of expressions. */
function isWritten(text: string): boolean {
  try {
    return isWrittenAsUrl(
      segmentsOf(text)
        .map((part) => ('text' in part ? part.text : 'x'))
        .join(''),
    );
  } catch {
    return true;
  }
}

/** Plain http is for a laptop: the guarded fetch refuses loopback hosts wherever the operator has not allowed them. */
function schemeProblem({ protocol, hostname }: URL): string | undefined {
  if (protocol === 'https:') return undefined;
  const isLoopback = hostname === '127.0.0.1' || hostname === 'localhost';
  return protocol === 'http:' && isLoopback
    ? undefined
    : 'expected the scheme https (http only for 127.0.0.1 and localhost)';
}

const notListed = (url: URL, egress: readonly string[]) =>
  `the host ${url.hostname} is not in \`egress\`: expected ${egress.length > 0 ? `one of ${someNames(egress)}` : `"egress": ["${url.hostname}"]`}`;

/** The same for a URL in which no expressions may stand. */
export const staticUrlProblem = (text: string, egress: readonly string[]): string | undefined =>
  hasTemplate(text)
    ? 'expected a URL without expressions: what a flow may reach is known before it runs'
    : egressProblem(text, egress);
