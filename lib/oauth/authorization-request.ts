// The request of a client that waits for the consent of a person.
import * as z from 'zod';
import { ServiceError } from '#lib/errors.ts';
import { readStored } from './oauth-items.ts';
import { findProvider } from './provider.ts';
import { findResource } from './resource.ts';

export interface AskedFor {
  /** Its id in addresses. */
  readonly uid: string;
  readonly clientId: string;
  readonly clientName: string | undefined;
  readonly redirectUri: string;
  readonly resource: string;
  readonly scopes: readonly string[];
  readonly prompts: ReadonlySet<string>;
  readonly maxAge: number | undefined;
  /** In seconds since 1970. */
  readonly askedAt: number;
}

const stored = z.object({
  iat: z.number(),
  params: z.object({
    client_id: z.string(),
    redirect_uri: z.string(),
    resource: z.union([z.string(), z.tuple([z.string()]).transform(([only]) => only)]),
    scope: z.string(),
    prompt: z.string().optional(),
    max_age: z.coerce.number().optional(),
  }),
});

/** Throws `authorization_request_not_found`, also for one that was answered. */
export async function findRequest(uid: string): Promise<AskedFor> {
  const found = /^[\w-]{43}$/.test(uid) ? await readStored('Interaction', uid) : undefined;
  const provider = found && (await findProvider());
  const request = found && stored.parse(found.payload);
  const client = request && (await provider?.Client.find(request.params.client_id));
  if (!request || !client) throw notFound();
  const { client_id, redirect_uri, scope, prompt, max_age } = request.params;
  const resource = findResource(request.params.resource);
  if (!resource) throw notFound();
  const supported = new Set([...resource.scopes, 'openid']);
  return {
    uid,
    clientId: client_id,
    clientName: client.clientName,
    redirectUri: redirect_uri,
    resource: resource.uri,
    scopes: scope.split(' ').filter((each) => supported.has(each)),
    prompts: new Set(prompt?.split(' ')),
    maxAge: max_age,
    askedAt: request.iat,
  };
}

const notFound = () =>
  new ServiceError('authorization_request_not_found', {
    detail:
      'It was answered already, or half an hour has passed. Go back to the program that you came from, and connect again.',
  });
