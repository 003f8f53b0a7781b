// Reads one build with its flow: for the pages about agents, and for those about runs.
import { useQuery } from '@tanstack/react-query';
import { type CallOutput, send } from './client.ts';

export type BuildWithFlow = CallOutput<'getRegistryRow'>;

export interface ReadBuild {
  readonly row: BuildWithFlow;
  /** For the `If-Match` of a change. */
  readonly etag: string;
}

/** With its flow and manifest. */
export function useBuild(id: string | undefined) {
  return useQuery({
    queryKey: ['build', id],
    queryFn: async ({ signal }): Promise<ReadBuild> => {
      const input = { params: { a2aregistryid: id ?? '' }, query: { flow: 'true' } } as const;
      const response = await send('getRegistryRow', input, { signal });
      return { row: await response.json(), etag: response.headers.get('etag') ?? '' };
    },
    enabled: id !== undefined,
  });
}
