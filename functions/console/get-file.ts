import { getFile } from '#lib/console-files/get-file.ts';
import { streamEndpoint } from '#lib/http/endpoint.ts';
import { consoleRoutes } from '#lib/routes/console-routes.ts';

export const { handler } = streamEndpoint(consoleRoutes.getConsole, getFile);

/** Hosts without response streaming send text only. */
export const { buffered } = streamEndpoint(consoleRoutes.getConsole, (request) =>
  getFile({ ...request, headers: { ...request.headers, 'accept-encoding': undefined } }),
);
