// Which hosts a flow's requests may name: checked in the text of the flow, before any run. Addresses are checked when a request is sent.
import { isWrittenAsUrl } from '#lib/web-url.ts';
import { hasTemplate, segmentsOf } from './expression/segments.ts';
import { someNames } from './some-names.ts';

/** An entry of `egress`: `host` for every port, `host:port` for one, `*.host` for its sub-domains; in the form a URL shows them. */
export function isEgressEntry(entry: string): boolean {
  const host = entry.startsWith('*.') ? entry.slice(2) : entry;
  const url = URL.parse(`https://${host}/`);
  if (!url || host === '' || host.includes('*')) return false;
  return url.host === host || (host.endsWith(':443') && url.hostname === host.slice(0, -4));
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
