import { createCardHandler } from '#lib/a2a/card-handler.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { readRow } from '#lib/registry/row/row-items.ts';
import { a2aCardRoutes } from '#lib/routes/a2a-card-routes.ts';

export const handler = endpoint(
  a2aCardRoutes.getAgentCard,
  createCardHandler(
    ({ registryId }) => readRow(registryId),
    (row) => row.status,
  ),
);
