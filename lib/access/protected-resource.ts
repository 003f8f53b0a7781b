// The metadata of the protected resources (RFC 9728 §2).
import * as z from 'zod';
import { requireEnv } from '#lib/env.ts';
import { type Resource, resourceScopes, resourceUrl } from './resource.ts';

export const protectedResource = z
  .strictObject({
    resource: z.string().meta({ description: 'The audience of its access tokens.' }),
    authorization_servers: z.array(z.string()).meta({ description: 'Issuers of access tokens for it.' }),
    scopes_supported: z.array(z.string()),
    bearer_methods_supported: z.array(z.literal('header')),
    resource_name: z.string(),
    resource_documentation: z.string(),
  })
  .meta({ id: 'ProtectedResource' });

const names = { api: 'Agent Flow Service', connector: 'Agents of Agent Flow Service' } as const;

export function describeResource(resource: Resource): z.infer<typeof protectedResource> {
  const serviceUrl = requireEnv('GATEWAY_URL');
  return {
    resource: resourceUrl(resource),
    authorization_servers: [serviceUrl],
    scopes_supported: [...resourceScopes[resource]],
    bearer_methods_supported: ['header'],
    resource_name: names[resource],
    resource_documentation: `${serviceUrl}/openapi.json`,
  };
}
