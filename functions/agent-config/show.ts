import { pageEndpoint } from '#lib/agent-config/page-endpoint.ts';
import { showPage } from '#lib/agent-config/show.ts';
import { agentConfigRoutes } from '#lib/routes/agent-config-routes.ts';

export const handler = pageEndpoint(agentConfigRoutes.showAgentConfig, showPage);
