// To which address of the service a request was sent, and where a page is that was asked for at another than the first.
import { addresses } from './addresses.ts';
import { requireEnv } from './env.ts';

/** Of an event of API Gateway. */
export interface Arrival {
  readonly domainName?: string | undefined;
  /** With the stage, where that is part of the address. */
  readonly path?: string | undefined;
}

/** The address to which a request was sent; the first one for a host that is none of ours, as behind a proxy. */
export function findAddress({ domainName, path = '' }: Arrival): string {
  const [first, ...others] = addresses();
  return others.find((other) => isBelow(new URL(other), domainName, path)) ?? first;
}

const isBelow = ({ host, pathname }: URL, domainName: string | undefined, path: string): boolean =>
  host === domainName && (pathname === '/' || path === pathname || path.startsWith(`${pathname}/`));

/** Where a page is that was asked for at another address. */
export function atFirstAddress(
  path: string,
  query: Readonly<Record<string, readonly string[] | undefined>> | null,
): string {
  const sent = new URLSearchParams();
  for (const [name, values = []] of Object.entries(query ?? {}))
    for (const value of values) sent.append(name, value);
  return `${requireEnv('GATEWAY_URL')}${path}${sent.size > 0 ? `?${sent}` : ''}`;
}
