// The rates of requests without credentials: by the network address that they come from, and by what they carry.
import { ServiceError } from '#lib/errors.ts';
import { consumeVisitorQuota, type VisitorKind } from './consume-quota.ts';

export async function requireAddressQuota(sourceIp: string, nowMs: number): Promise<void> {
  await requireVisitorQuota('ADDRESS', toNetwork(sourceIp), nowMs);
}

/** Each registration of a client stores items, so fewer are accepted. */
export async function requireRegistrationQuota(sourceIp: string, nowMs: number): Promise<void> {
  await requireVisitorQuota('REGISTRATION', toNetwork(sourceIp), nowMs);
}

/** Networks of one subscriber are one address: IPv6 has 2^64 in each. */
const toNetwork = (sourceIp: string): string =>
  sourceIp.includes(':') ? sourceIp.split(':').slice(0, 4).join(':') : sourceIp;

/** Throws `rate_limited`. */
export async function requireVisitorQuota(by: VisitorKind, id: string, nowMs: number): Promise<void> {
  const { isAllowed, quota } = await consumeVisitorQuota(by, id, nowMs);
  if (isAllowed) return;
  throw new ServiceError('rate_limited', {
    detail: `Only ${quota} requests in ten seconds are accepted ${whose[by]}. Wait a moment, then try again.`,
  });
}

const whose: Readonly<Record<VisitorKind, string>> = {
  ADDRESS: 'from one network address',
  LINK: 'with one link',
  TASK: 'of one task',
  WEBHOOK: 'at this address',
  REGISTRATION: 'to register clients from one network address',
};
