// The parameters of requests, as oidc-provider should see them: what clients write in several ways is written in one, and
// what they leave out has its default.
import { defaultResource, findResource } from './resource.ts';

/** Of an authorization request. A client that names no scope asks for the usual ones of its resource. */
export function completeAuthorization(given: URLSearchParams): URLSearchParams {
  const completed = completeResource(given);
  if (!completed.get('resource')) completed.set('resource', defaultResource());
  if (!completed.get('scope')?.trim()) {
    const resource = findResource(completed.get('resource') ?? '');
    completed.set('scope', resource?.scopeDefault ?? 'openid');
  }
  // The others would take a script on a page of ours, or show the code to scripts of the client.
  if (!completed.has('response_mode')) completed.set('response_mode', 'query');
  else if (completed.get('response_mode') !== 'query') completed.set('response_mode', 'unsupported');
  // oidc-provider would take those with tokens for a fault of the response mode, and answer in the fragment.
  if (completed.get('response_type')?.includes('token')) completed.set('response_type', 'unsupported');
  return completed;
}

/** Of any request. */
export function completeResource(given: URLSearchParams): URLSearchParams {
  const completed = new URLSearchParams(given);
  const resources = completed.getAll('resource');
  completed.delete('resource');
  for (const each of resources) if (each) completed.append('resource', findResource(each)?.uri ?? each);
  return completed;
}
