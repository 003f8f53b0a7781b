import { showPage } from '#lib/agent-config/show.ts';
import { pageEndpoint } from '#lib/page/page-endpoint.ts';
import { agentConfigRoutes } from '#lib/routes/agent-config-routes.ts';

export const handler = pageEndpoint(agentConfigRoutes.showAgentConfig, showPage);
