// What must hold for every run of a generated flow: how it may end, and what interruptions may not change.
import { isDeepStrictEqual } from 'node:util';
import type { Outcome } from '#lib/flow/engine/run-flow.ts';
import { errorFamilies, loneErrors } from '#lib/flow/format/error-codes.ts';
import { endsRun } from '#lib/flow/format/node-error.ts';
import type { Json } from '#lib/json/json.ts';
import type { Driven } from './drive.ts';
import { hasTightLimits } from './nodes.ts';
import { type FlowPlan, isConcurrent, isRace } from './parts.ts';

const codes: ReadonlySet<string> = new Set([
  ...loneErrors,
  ...Object.entries(errorFamilies).flatMap(([family, names]) => names.map((name) => `${family}.${name}`)),
]);

/** `internal` is documented for defects of the service, which this finds. */
const isDocumented = (code: string): boolean =>
  code !== 'internal' && (codes.has(code) || /^(fail\.[a-z][a-z0-9_]*|http\.[2345]\d\d)$/.test(code));

/** A run that cannot end is `limit.timeout`: all that generated flows wait for ends long before. */
export function findUndocumented({ outcome }: Driven): string | undefined {
  if (outcome.status === 'completed') return undefined;
  if (outcome.status !== 'failed') return `it ended as ${outcome.status}`;
  const { code, message } = outcome.error;
  return isDocumented(code) && code !== 'limit.timeout' ? undefined : `it failed with ${code}: ${message}`;
}

/** Describes what an interrupted run has lost or made up. Undefined if nothing. */
export function findDifference(plan: FlowPlan, whole: Driven, pieces: Driven): string | undefined {
  if (pieces.wasCanceled)
    return readCode(pieces.outcome) === 'canceled' ? undefined : compare(plan, whole, pieces);
  return compare(plan, whole, pieces);
}

const readCode = (outcome: Outcome) => (outcome.status === 'failed' ? outcome.error.code : outcome.status);

function compare(plan: FlowPlan, whole: Driven, pieces: Driven): string | undefined {
  if (dependsOnOrder(plan, whole, pieces)) return undefined;
  const [expected, seen] = [withoutTimes(whole.outcome), withoutTimes(pieces.outcome)];
  if (!isDeepStrictEqual(expected, seen)) return differ('outcomes', expected, seen);
  if (hasDropped(whole) || hasDropped(pieces)) return undefined;
  const [values, kept] = [storedValues(whole), storedValues(pieces)];
  if (!isDeepStrictEqual(values, kept)) return differ('stored values', values, kept);
  const [said, repeated] = [sortedReplies(whole), sortedReplies(pieces)];
  if (!isDeepStrictEqual(said, repeated)) return differ('replies', said, repeated);
  return compareCharges(whole, pieces);
}

/** Who is first, and which node meets a limit first, is not the same in every process. */
function dependsOnOrder(plan: FlowPlan, whole: Driven, pieces: Driven): boolean {
  if (isRace(plan.parts) || [whole, pieces].some(hasAgentTimeout)) return true;
  if (!isConcurrent(plan.parts)) return hasTightLimits(plan) && pieces.crashes > 0;
  return hasTightLimits(plan) || [whole, pieces].some(({ outcome }) => endsRun(readCode(outcome)));
}

/** What the other tools of an agent had done when the time of one ran out depends on the process. */
const hasAgentTimeout = ({ entries }: Driven): boolean =>
  entries.some((entry) => entry.node_type === 'agent' && entry.message.startsWith('timeout: '));

/** What a scope did that became unnecessary, as the one beside it failed, depends on when it was stopped. */
const hasDropped = ({ entries, outcome }: Driven): boolean =>
  entries.some(({ event, scope }) => event === 'canceled' || (event === 'failed' && scope !== undefined)) ||
  outcome.status === 'failed';

/** A call whose process died is made again, and paid for again; everything else is charged once. */
function compareCharges({ used }: Driven, { used: seen, crashes }: Driven): string | undefined {
  const isEqual = isDeepStrictEqual(seen, used);
  const isMore = seen.steps >= used.steps && seen.modelCalls >= used.modelCalls && seen.tokens >= used.tokens;
  return isEqual || (crashes > 0 && isMore) ? undefined : differ('charges', used, seen);
}

const storedValues = ({ world }: Driven) => [...world.values].sort(([a], [b]) => (a < b ? -1 : 1));
const sortedReplies = ({ world }: Driven) => [...world.replies].sort();

/** Nor with the cause of an error, which is for the log of the process that saw it. */
const withoutTimes = (outcome: Outcome): Json =>
  JSON.parse(
    JSON.stringify(outcome, (name, value) => (name === 'cause' ? undefined : value)).replaceAll(
      /"until":"[^"]+"/g,
      '"until":""',
    ),
  );

const differ = (what: string, expected: unknown, seen: unknown): string =>
  `${what} differ:\n${JSON.stringify(expected)}\n${JSON.stringify(seen)}`;
