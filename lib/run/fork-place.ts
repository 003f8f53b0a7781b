// Where a fork begins: an execution of the run outside of other nodes, found in its log.
import * as z from 'zod';
import { ServiceError } from '#lib/errors.ts';
import { someNames } from '#lib/flow/format/some-names.ts';
import type { LogEntry } from '#lib/flow/ports/log-entry.ts';
import { type NodeVisit, readPath } from './visited-path.ts';

export const forkFrom = z
  .string()
  .max(1_000)
  .regex(
    /^(?:[\w:-]+\.)*[a-z][a-z0-9_]{0,63}(?:\.\d{1,6})?$/,
    'expected a node_id such as order, or the id of an execution such as order.1',
  )
  .meta({
    description:
      'Where the new run begins: a `node_id` that the run came by once, or its `node_id` and `visit` with a dot between them. ' +
      'It must be outside of other nodes: what a `map`, a `parallel` or an `agent` has done inside is one output.',
    example: 'order.1',
  });

export interface ForkPlace {
  /** The id of the execution at which the fork begins. */
  readonly execution: string;
  readonly node_id: string;
  /** The executions before it that are outside of other nodes, in their order. */
  readonly before: readonly NodeVisit[];
  /** Whether the run did not execute it itself, as it is a fork. */
  readonly isReused: boolean;
}

export function findPlace(logs: readonly LogEntry[], from: string): ForkPlace {
  // Entries that a process wrote before it died are written again by the next one, under the same numbers.
  const entries = [...new Map(logs.map((entry) => [entry.seq, entry])).values()];
  const path = readPath(entries).filter(({ scope }) => scope === undefined);
  const found = path.filter((visit) => visit.node_id === from || executionOf(visit) === from);
  const [place] = found;
  if (found.length > 1)
    throw badPlace(`must name one execution, as the run came by ${from} several times: ${list(found)}`);
  if (!place) throw badPlace(whyNone(path, from));
  const before = path.slice(0, path.indexOf(place));
  const { node_id, reused: isReused = false } = place;
  return { execution: executionOf(place), node_id, before, isReused };
}

export const executionOf = ({ node_id, visit }: Pick<NodeVisit, 'node_id' | 'visit'>): string =>
  `${node_id}.${visit}`;

function whyNone(path: readonly NodeVisit[], from: string): string {
  const [outer, visit, ...inner] = from.split('.');
  if (inner.length > 0)
    return `must be outside of other nodes: to execute it again, fork from ${outer}.${visit}, which it is inside of`;
  if (path.length === 0) return 'must be an execution in the log of the run, which has none yet';
  return `must be an execution in the log of the run, outside of other nodes: ${list(path)}`;
}

const list = (visits: readonly NodeVisit[]): string => someNames(visits.map(executionOf));

const badPlace = (detail: string) =>
  new ServiceError('validation_failed', { errors: [{ pointer: '/body/from', detail }] });
