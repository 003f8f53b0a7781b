// The dimensions of the metric of requests. CloudWatch bills each combination of their values as a metric, so
// they are coarse: the line of a request names its route and its status.
import type { Route } from './route.ts';

/** The parts of the service by who calls them. */
export const surfaces = {
  Registry: 'management',
  Automation: 'management',
  Runs: 'management',
  Connections: 'management',
  Access: 'management',
  Triggers: 'triggers',
  A2A: 'a2a',
  Connector: 'connector',
  Authorization: 'oauth',
  Meta: 'public',
} as const satisfies Record<Route['tag'], string>;

/** Such as `4xx`. */
export const toStatusClass = (status: number): string => `${Math.floor(status / 100)}xx`;
