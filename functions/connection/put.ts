import { connectionRoutes } from '#lib/api/connection-routes.ts';
import { endpoint } from '#lib/api/endpoint.ts';
import { placeOf } from '#lib/connection/vault/place.ts';
import { put } from '#lib/connection/vault/put.ts';
import { wakeWaiting } from '#lib/run/waiting/wake.ts';

export const handler = endpoint(
  connectionRoutes.putConnection,
  async ({ caller, params, query, body, at }) => {
    const stored = await put(caller, { ...query, ...params }, body, at);
    await wakeWaiting({ ...placeOf(caller, query.workspaceid), ...stored });
    return { json: stored };
  },
);
