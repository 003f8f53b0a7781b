import { createCardHandler } from '#lib/a2a/card-handler.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { readSignableRow } from '#lib/registry/card/signature-items.ts';
import { a2aCardRoutes } from '#lib/routes/a2a-card-routes.ts';

export const handler = endpoint(
  a2aCardRoutes.getAgentCard,
  createCardHandler(
    ({ registryId }) => readSignableRow(registryId),
    (row) => row.status,
  ),
);
