// The methods under which a route is served: its own, and HEAD where that is GET (RFC 9110, section 9.3.2).
import type { Route } from './route.ts';

/** A stream of events has no HEAD: whoever asks for its headers alone would still take the place of a follower. */
export const servedMethods = ({ method, response }: Route): readonly string[] =>
  method === 'GET' && response.contentType !== 'text/event-stream' ? ['GET', 'HEAD'] : [method];
