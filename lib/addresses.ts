// The addresses of this service. The first one, GATEWAY_URL, is in the URLs that it hands out; the others are served too,
// such as a former one (docs/decisions/0074-former-addresses.md). None ends with a slash.
import { optionalEnv, requireEnv } from './env.ts';

export const addresses = (): readonly [string, ...string[]] => [
  requireEnv('GATEWAY_URL'),
  ...(optionalEnv('OTHER_ADDRESSES')?.split(',') ?? []),
];
