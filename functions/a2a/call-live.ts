import { createA2AHandler, formatProblem } from '#lib/a2a/a2a-handler.ts';
import { findLiveAgent } from '#lib/environment/find-agent.ts';
import { streamEndpoint } from '#lib/http/endpoint.ts';
import { a2aRoutes } from '#lib/routes/a2a-routes.ts';

export const { handler, buffered } = streamEndpoint(
  a2aRoutes.callLiveAgent,
  createA2AHandler(({ flowId }, caller) => findLiveAgent(flowId, caller)),
  { formatProblem },
);
