// Where the AI Catalog of the tenant is, for answers that lead to it.
import { optionalEnv, requireEnv } from '#lib/env.ts';

export const catalogUrl = (): string => `${requireEnv('GATEWAY_URL')}/.well-known/ai-catalog.json`;

/** A header (RFC 8288); none where the tenant has no catalog. */
export const catalogLink = (): Readonly<Record<string, string>> =>
  optionalEnv('CATALOG_PUBLISHER') === undefined ? {} : { link: `<${catalogUrl()}>; rel="ai-catalog"` };
