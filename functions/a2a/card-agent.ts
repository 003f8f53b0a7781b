import { a2aRoutes } from '#lib/api/a2a-routes.ts';
import { cardDoor } from '#lib/api/card-door.ts';
import { endpoint } from '#lib/api/endpoint.ts';
import { readRow } from '#lib/registry/store.ts';

export const handler = endpoint(
  a2aRoutes.getAgentCard,
  cardDoor(
    ({ registryId }) => readRow(registryId),
    (row) => row.status,
  ),
);
