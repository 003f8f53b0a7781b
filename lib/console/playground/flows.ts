// The flows of a workspace that have builds.
import type { RegistryFlow } from '#lib/registry/row/row.ts';
import { call } from '../api/client.ts';

const flowsMax = '200';

export const listFlows = async (
  workspaceid: string,
  signal: AbortSignal,
): Promise<readonly RegistryFlow[]> => {
  const query = { workspaceid, flow_list: 'true', limit: flowsMax } as const;
  const { items } = await call('listRegistryRows', { query }, { signal });
  // With `flow_list` they are flows, which the schema of the route does not say by itself.
  return items as unknown as readonly RegistryFlow[];
};
