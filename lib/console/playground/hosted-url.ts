// Where a build is called over A2A.
import type { RegistryRow } from '#lib/registry/row/row.ts';
import { serviceUrl } from '../api/client.ts';

/** Its hosted URL, on the origin of this page, whose session no other origin may use. */
export const hostedUrl = ({
  flowid,
  status,
  a2aregistryid,
}: Pick<RegistryRow, 'flowid' | 'status' | 'a2aregistryid'>) =>
  serviceUrl(
    status === 'live'
      ? `/api/v1/ai/a2a/${encodeURIComponent(flowid)}/`
      : `/api/v1/ai/a2a/${encodeURIComponent(flowid)}/${a2aregistryid}/`,
  );
