import { createCardHandler } from '#lib/a2a/card-handler.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { findSignableBuild } from '#lib/registry/find-agent.ts';
import { a2aCardRoutes } from '#lib/routes/a2a-card-routes.ts';

export const handler = endpoint(
  a2aCardRoutes.getTestCard,
  createCardHandler(
    ({ flowId, registryId }) => findSignableBuild(flowId, registryId),
    () => 'test',
  ),
);
