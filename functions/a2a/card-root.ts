import { createCardHandler } from '#lib/a2a/card-handler.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { findRootAgent } from '#lib/registry/find-agent.ts';
import { a2aRoutes } from '#lib/routes/a2a-routes.ts';

export const handler = endpoint(
  a2aRoutes.getRootCard,
  createCardHandler(findRootAgent, (row) => row.status),
);
