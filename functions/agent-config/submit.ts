import { pageEndpoint } from '#lib/agent-config/page-endpoint.ts';
import { submitPage } from '#lib/agent-config/submit.ts';
import { agentConfigRoutes } from '#lib/routes/agent-config-routes.ts';

export const handler = pageEndpoint(agentConfigRoutes.submitAgentConfig, submitPage);
