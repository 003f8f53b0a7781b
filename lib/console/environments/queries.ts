// Reads environments. Those without settings are missing in the answer of the API.
import { useQuery } from '@tanstack/react-query';
import { type CallOutput, call, send } from '../api/client.ts';
import { ApiError } from '../api/problem.ts';
import { useSession } from '../shell/session.tsx';

export type Settings = CallOutput<'getEnvironment'>;
export type EnvironmentName = Settings['environment'];

export const environmentNames = ['live', 'test', 'dev', 'uat'] as const satisfies readonly EnvironmentName[];

/** Of which runs an environment keeps the values of nodes. */
export const keepChoices = ['all', 'failed', 'off'] as const satisfies readonly Settings['keep_values'][];
export const defaultOf = (name: EnvironmentName) => (name === 'live' ? 'off' : 'all');

export const isEnvironment = (name: string): name is EnvironmentName =>
  (environmentNames as readonly string[]).includes(name);

export function useEnvironments() {
  const { workspaceid } = useSession();
  return useQuery({
    queryKey: ['environments', workspaceid],
    queryFn: ({ signal }) => call('listEnvironments', { query: { workspaceid } }, { signal }),
  });
}

export interface ReadEnvironment {
  readonly settings?: Settings;
  /** The version that a change is based on; none if there are no settings. */
  readonly etag?: string | undefined;
}

export function useEnvironment(environment: EnvironmentName) {
  const { workspaceid } = useSession();
  return useQuery({
    queryKey: ['environment', workspaceid, environment],
    queryFn: async ({ signal }): Promise<ReadEnvironment> => {
      try {
        const response = await send(
          'getEnvironment',
          { params: { environment }, query: { workspaceid } },
          { signal },
        );
        return { settings: await response.json(), etag: response.headers.get('etag') ?? undefined };
      } catch (error) {
        if (error instanceof ApiError && error.problem.code === 'environment_not_found') return {};
        throw error;
      }
    },
    // What somebody edits is not replaced under their hands.
    refetchOnWindowFocus: false,
    gcTime: 0,
  });
}
