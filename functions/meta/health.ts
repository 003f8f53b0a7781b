import { endpoint } from '#lib/http/endpoint.ts';
import { metaRoutes } from '#lib/routes/meta-routes.ts';

export const handler = endpoint(metaRoutes.getHealth, async () => ({ json: { status: 'ok' } }));
