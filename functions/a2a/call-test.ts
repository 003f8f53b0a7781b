import { createA2AHandler, formatProblem } from '#lib/a2a/a2a-handler.ts';
import { streamEndpoint } from '#lib/http/endpoint.ts';
import { findBuild } from '#lib/registry/find-agent.ts';
import { a2aRoutes } from '#lib/routes/a2a-routes.ts';

export const { handler, buffered } = streamEndpoint(
  a2aRoutes.callTestAgent,
  createA2AHandler(
    ({ flowId, registryId }) => findBuild(flowId, registryId),
    () => 'test',
  ),
  { formatProblem },
);
