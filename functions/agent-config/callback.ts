import { finishConnect } from '#lib/agent-config/finish-connect.ts';
import { pageEndpoint } from '#lib/page/page-endpoint.ts';
import { agentConfigRoutes } from '#lib/routes/agent-config-routes.ts';

export const handler = pageEndpoint(agentConfigRoutes.finishAgentConfig, finishConnect);
