// The web console: its page and the files that the page loads.
import * as z from 'zod';
import { route } from '#lib/http/route.ts';

export const consoleRoutes = {
  getConsole: route({
    method: 'GET',
    path: '/console',
    also: [
      { name: 'file', method: 'ANY', path: '/console/{subpath+}' },
      { name: 'root', method: 'ANY', path: '/' },
    ],
    otherMethods: 'byFunction',
    entry: 'console/get-file',
    tag: 'Meta',
    credentials: [],
    redirects: true,
    summary: 'The web console',
    description:
      'For browsers, also at `/`, which leads here. Below it are the pages of the console, which are one document, and the files that it loads.',
    query: z.object({}),
    requestHeaders: ['If-None-Match'],
    response: {
      status: 200,
      description: 'The document of the console, or a file.',
      contentType: 'text/html',
      schema: z.string().meta({ id: 'ConsolePage' }),
    },
    errors: ['route_not_found'],
    uses: [],
    timeout: 'quick',
    transfer: 'stream',
  }),
} as const;
