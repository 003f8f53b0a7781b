import { endpoint } from '#lib/api/endpoint.ts';
import { metaRoutes } from '#lib/api/meta-routes.ts';

export const handler = endpoint(metaRoutes.getHealth, async () => ({ json: { status: 'ok' } }));
