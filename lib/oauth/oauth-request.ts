// Which endpoint of the authorization server a request is for.
import type { Request } from '#lib/http/request.ts';

export interface OAuthRequest extends Request {
  /** What follows the endpoint in the path: of an authorization request, or of a client. */
  readonly id: string;
}

interface Endpoint {
  readonly endpoint: string;
  /** Undefined for a path of one part. */
  readonly id: string | undefined;
}

/** By the name of the address in the route table, and what follows it. */
export function findEndpoint(address = 'token', subpath = ''): Endpoint {
  if (address !== 'endpoint') return { endpoint: address, id: undefined };
  const [endpoint = '', ...rest] = subpath.split('/');
  return { endpoint, id: rest.length === 0 ? undefined : rest.join('/') };
}

/** For people, with their session. */
export const isPage = ({ endpoint }: Pick<Endpoint, 'endpoint'>): boolean =>
  endpoint === 'authorize' || endpoint === 'consent';
