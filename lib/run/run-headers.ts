// The entity tags of a run's state, and when a caller who waits has it already.

import { notModified } from '#lib/http/conditional.ts';
import type { RunView } from '#lib/run/state.ts';

type Headers = Readonly<Record<string, string | undefined>>;

/** A strong validator: a run of one generation has one representation until it is abandoned, or its link expires. */
export const stateHeaders = ({ run, status, needs }: RunView) =>
  ({ etag: `"${run.generation}-${status}${linkTag(needs)}"`, 'cache-control': 'private, no-cache' }) as const;

/** The expiry of the link to the configuration page, which is the first part of its token. */
function linkTag(needs: RunView['needs']): string {
  const token = needs && new URL(needs.configuration_url).searchParams.get('token');
  return token ? `-${token.split('.')[0]}` : '';
}

/** Who does not say what they have is taken to have the state of this moment. */
export const isKnownTo =
  (headers: Headers) =>
  (view: RunView): boolean =>
    headers['if-none-match'] === undefined || notModified(headers, stateHeaders(view)) !== undefined;
