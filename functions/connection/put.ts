import { toConnectionOwner } from '#lib/connection/connection-owner.ts';
import { put } from '#lib/connection/put.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { connectionRoutes } from '#lib/routes/connection-routes.ts';
import { wakeWaiting } from '#lib/run/wake-waiting.ts';

export const handler = endpoint(
  connectionRoutes.putConnection,
  async ({ caller, params, query, body, at }) => {
    const stored = await put(caller, { ...query, ...params }, body, at);
    await wakeWaiting({ ...toConnectionOwner(caller, query.workspaceid), ...stored });
    return { json: stored };
  },
);
