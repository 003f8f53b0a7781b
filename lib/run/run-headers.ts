// The entity tags of a run's state, and when a caller who waits has it already.

import { notModified } from '#lib/http/conditional.ts';
import type { RunView } from '#lib/run/state.ts';

type Headers = Readonly<Record<string, string | undefined>>;

/** A strong validator: a run of one generation has one representation until it is abandoned. */
export const stateHeaders = ({ run, status }: RunView) =>
  ({ etag: `"${run.generation}-${status}"`, 'cache-control': 'private, no-cache' }) as const;

/** Who does not say what they have is taken to have the state of this moment. */
export const isKnownTo =
  (headers: Headers) =>
  (view: RunView): boolean =>
    headers['if-none-match'] === undefined || notModified(headers, stateHeaders(view)) !== undefined;
