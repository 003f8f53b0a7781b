// Which IP addresses are on the public internet, by IANA's special-purpose registries. The tables are the
// rule.
import type { LookupAddress, LookupAllOptions } from 'node:dns';
import { BlockList, isIPv4, isIPv6, type LookupFunction } from 'node:net';
import { EgressError } from './egress-error.ts';

/** RFC 6890 and its successors, and what only makes sense inside one network. */
const specialIPv4 = [
  ['0.0.0.0', 8], // this network
  ['10.0.0.0', 8], // private
  ['100.64.0.0', 10], // carrier-grade NAT
  ['127.0.0.0', 8], // loopback; on Lambda port 9001 is the runtime API
  ['169.254.0.0', 16], // link-local: instance metadata, container credentials
  ['172.16.0.0', 12], // private
  ['192.0.0.0', 24], // protocol assignments
  ['192.0.2.0', 24], // documentation
  ['192.88.99.0', 24], // 6to4 relays, deprecated
  ['192.168.0.0', 16], // private
  ['198.18.0.0', 15], // benchmarking
  ['198.51.100.0', 24], // documentation
  ['203.0.113.0', 24], // documentation
  ['224.0.0.0', 4], // multicast
  ['240.0.0.0', 4], // reserved, broadcast
] as const;

/**
 * Within 2000::/3, the only block that is global unicast. Everything outside it is special already: loopback,
 * mapped ::ffff:0:0/96, NAT64 64:ff9b::/96 and 64:ff9b:1::/48, unique local fc00::/7 (with fd00:ec2::254),
 * link-local fe80::/10, multicast ff00::/8.
 */
const specialIPv6 = [
  ['2001::', 23], // protocol assignments: Teredo, benchmarking, ORCHID
  ['2001:db8::', 32], // documentation
  ['2002::', 16], // 6to4, which wraps any IPv4 address
  ['3fff::', 20], // documentation
] as const;

/** Built with the first address, because building them takes a cold start a millisecond. */
let lists: { readonly special: BlockList; readonly globalUnicast: BlockList } | undefined;

function makeLists() {
  const [special, globalUnicast] = [new BlockList(), new BlockList()];
  for (const [network, prefix] of specialIPv4) special.addSubnet(network, prefix, 'ipv4');
  for (const [network, prefix] of specialIPv6) special.addSubnet(network, prefix, 'ipv6');
  globalUnicast.addSubnet('2000::', 3, 'ipv6');
  return { special, globalUnicast };
}

export function isPublicAddress(address: string): boolean {
  lists ??= makeLists();
  const { special, globalUnicast } = lists;
  if (isIPv4(address)) return !special.check(address, 'ipv4');
  if (!isIPv6(address) || address.includes('%')) return false;
  return globalUnicast.check(address, 'ipv6') && !special.check(address, 'ipv6');
}

/** The shape of `dns.lookup` with `all: true`. */
export type Resolve = (
  hostname: string,
  options: LookupAllOptions,
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/**
 * A `lookup` for `net.connect` that answers only if every address is allowed. The socket connects to what
 * this returns and nothing is resolved again, so a name cannot change its mind between check and use (DNS
 * rebinding).
 */
export function guardedLookup(resolve: Resolve, isAllowed: (address: string) => boolean): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      const first = addresses?.[0];
      if (error || !first) return callback(error ?? notFound(hostname), []);
      if (!addresses.every(({ address }) => isAllowed(address))) return callback(notPublic(hostname), []);
      return options.all ? callback(null, addresses) : callback(null, first.address, first.family);
    });
  };
}

export const notPublic = (hostname: string) =>
  new EgressError('egress.private_address', `The host "${hostname}" is not on the public internet.`);

const notFound = (hostname: string) =>
  Object.assign(new Error(`No address for "${hostname}".`), { code: 'ENOTFOUND' });
