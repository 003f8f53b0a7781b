// The connector's function with the tools that the conformance suite calls in place of its own: the same endpoint, gate
// and transport. The local host serves it at the route of the connector.
import { InMemoryServerEventBus, type McpRequestContext, McpServer } from '@modelcontextprotocol/server';
import { createConnector } from '#lib/connector/connector.ts';
import { createStateCodec } from '#lib/connector/request-state.ts';
import { serveTasks, tasksExtension } from '#lib/connector/tasks.ts';
import { streamEndpoint } from '#lib/http/endpoint.ts';
import type { Request } from '#lib/http/request.ts';
import { connectorRoutes } from '#lib/routes/connector-routes.ts';
import { addContent } from './fixture-content.ts';
import { addInputTools } from './fixture-input.ts';
import { addPrompts, addResources } from './fixture-resources.ts';
import { addTaskTools } from './fixture-tasks.ts';

const bus = new InMemoryServerEventBus();
const subscriptionsMax = 20;

function buildServer(request: Request, { era }: McpRequestContext): McpServer {
  const server = new McpServer(
    { name: 'conformance-fixtures', version: '1.0.0' },
    {
      capabilities: {
        tools: { listChanged: true },
        prompts: { listChanged: true },
        resources: { subscribe: true, listChanged: true },
        logging: {},
        completions: {},
        ...(era === 'modern' && { extensions: { [tasksExtension]: {} } }),
      },
      inputRequired: { legacyShim: false },
      requestState: {
        verify: async (state, context) =>
          await (await createStateCodec(request.caller)).verify(state, context),
      },
    },
  );
  addContent(server, bus);
  addInputTools(server, request);
  addResources(server);
  addPrompts(server);
  addTaskTools(server, request, era);
  if (era === 'modern') serveTasks(server.server, request);
  return server;
}

const serve = createConnector(buildServer, { bus, maxSubscriptions: subscriptionsMax });

export const { handler, buffered } = streamEndpoint(connectorRoutes.callConnector, serve);
