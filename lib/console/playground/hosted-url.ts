// Where a build is called over A2A.
import type { RegistryRow } from '#lib/registry/row/row.ts';
import { serviceUrl } from '../api/client.ts';

const agents = '/api/v1/ai/a2a/';

/** Its hosted URL, on the origin of this page: the session of a browser is for no other. */
export const hostedUrl = ({ hosted_url }: Pick<RegistryRow, 'hosted_url'>): string =>
  serviceUrl(hosted_url.slice(hosted_url.lastIndexOf(agents)));
