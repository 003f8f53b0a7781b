import { createCardHandler } from '#lib/a2a/card-handler.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { readRow } from '#lib/registry/row/row-items.ts';
import { a2aRoutes } from '#lib/routes/a2a-routes.ts';

export const handler = endpoint(
  a2aRoutes.getAgentCard,
  createCardHandler(
    ({ registryId }) => readRow(registryId),
    (row) => row.status,
  ),
);
