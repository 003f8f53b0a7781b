// The private hosts that the operator allows. A flow's own list is matched in `lib/flow/egress.ts`, addresses
// are checked in `public-address.ts`.
import { BlockList, isIP } from 'node:net';
import { isListed } from '#lib/flow/format/egress.ts';
import { lazy } from '#lib/lazy.ts';

export interface EgressPolicy {
  /**
   * Hosts that may be private and may use plain http, as `host` (any port) or `host:port`, written as in a
   * URL.
   */
  readonly allowPrivate: readonly string[];
}

/**
 * Reads EGRESS_ALLOW_PRIVATE: comma separated, `127.0.0.1:4010`, `[::1]:4010`, `orders.test`. Absent or empty
 * allows nothing. Meant for laptops and tests; on AWS the loopback of a function holds its runtime API, so
 * the stack refuses to set it.
 */
export function parseEgressPolicy(text: string | undefined): EgressPolicy {
  const entries = (text ?? '').split(',').map((entry) => entry.trim());
  return { allowPrivate: entries.filter((entry) => entry !== '').map(checkedEntry) };
}

export const isAllowedPrivate = (url: URL, policy: EgressPolicy) => isListed(url, policy.allowPrivate);

function checkedEntry(entry: string): string {
  const fault = entryFault(entry);
  if (fault) throw new Error(`EGRESS_ALLOW_PRIVATE: "${entry}" ${fault}`);
  return entry;
}

/** An entry that is not written as in a URL would never match, so it is reported as a mistake. */
export function entryFault(entry: string): string | undefined {
  const url = URL.parse(`http://${entry}`);
  const shown = url?.port === '' && entry.endsWith(':80') ? `${url.hostname}:80` : url?.host;
  if (!url || shown !== entry || entry.includes('*'))
    return 'is not a host or host:port, such as 127.0.0.1:4010.';
  const address = url.hostname.replace(/^\[|\]$/g, '');
  const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
  return isIP(address) && credentialAddresses().check(address, family)
    ? 'is a cloud credential endpoint, which nothing may reach.'
    : undefined;
}

/** Instance metadata and container credentials of AWS: link-local IPv4, and the IPv6 pair. */
const credentialAddresses = /* @__PURE__ */ lazy(() => {
  const addresses = new BlockList();
  addresses.addSubnet('169.254.0.0', 16, 'ipv4');
  addresses.addSubnet('fd00:ec2::', 32, 'ipv6');
  return addresses;
});
