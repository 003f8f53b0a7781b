// The published JSON Schema of flows, which the completions and the forms of nodes read.
import { fetchOrExplain, serviceUrl } from '../api/client.ts';
import type { Schema } from './schema-keys.ts';

let schema: Promise<Schema> | undefined;

/** Once for the tab; a failure is asked again with the next use. */
export function getFlowSchema(): Promise<Schema> {
  schema ??= fetchOrExplain(serviceUrl('/schemas/flow-v1.json'), {})
    .then((response) => response.json())
    .catch((error) => {
      schema = undefined;
      throw error;
    });
  return schema;
}
