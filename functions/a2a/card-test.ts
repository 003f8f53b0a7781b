import { a2aRoutes } from '#lib/api/a2a-routes.ts';
import { cardDoor } from '#lib/api/card-door.ts';
import { endpoint } from '#lib/api/endpoint.ts';
import { findBuild } from '#lib/registry/find-agent.ts';

export const handler = endpoint(
  a2aRoutes.getTestCard,
  cardDoor(
    ({ flowId, registryId }) => findBuild(flowId, registryId),
    () => 'test',
  ),
);
