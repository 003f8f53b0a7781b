import { storeConnection, toConnectionOwner } from '#lib/connection/own-connection.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { connectionRoutes } from '#lib/routes/connection-routes.ts';
import { wakeWaiting } from '#lib/run/wake-waiting.ts';

export const handler = endpoint(
  connectionRoutes.putConnection,
  async ({ caller, params, query, body, at }) => {
    const stored = await storeConnection(caller, { ...query, ...params }, body, at);
    await wakeWaiting({ ...toConnectionOwner(caller, query.workspaceid), ...stored });
    return { json: stored };
  },
);
