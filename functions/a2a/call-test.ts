import { a2aRoutes } from '#lib/api/a2a-routes.ts';
import { callDoor } from '#lib/api/call-door.ts';
import { streamEndpoint } from '#lib/api/endpoint.ts';
import { findBuild } from '#lib/registry/find-agent.ts';

export const { handler, buffered } = streamEndpoint(
  a2aRoutes.callTestAgent,
  callDoor(({ flowId, registryId }) => findBuild(flowId, registryId)),
);
