import { createCardHandler } from '#lib/a2a/card-handler.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { findLive } from '#lib/registry/find-agent.ts';
import { a2aCardRoutes } from '#lib/routes/a2a-card-routes.ts';

export const handler = endpoint(
  a2aCardRoutes.getLiveCard,
  createCardHandler(
    ({ flowId }) => findLive(flowId),
    () => 'live',
  ),
);
