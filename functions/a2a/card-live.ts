import { a2aRoutes } from '#lib/api/a2a-routes.ts';
import { cardDoor } from '#lib/api/card-door.ts';
import { endpoint } from '#lib/api/endpoint.ts';
import { findLive } from '#lib/registry/find-agent.ts';

export const handler = endpoint(
  a2aRoutes.getLiveCard,
  cardDoor(
    ({ flowId }) => findLive(flowId),
    () => 'live',
  ),
);
