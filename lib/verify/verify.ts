// Walks through all items of both tables and runs the checks. It only reads, holds a few pages at a time, and stores how
// far each segment is, so that a walk that was interrupted continues.
import { isTransientFailure } from '#lib/aws.ts';
import { ServiceError } from '#lib/errors.ts';
import { identify } from '#lib/inventory/identify.ts';
import type { ItemKey, TableName } from '#lib/inventory/kind.ts';
import { type Group, keyOf, readAgain, readSegment, type Segment } from '#lib/inventory/partitions.ts';
import type { Check, Finding } from './check.ts';
import { checks } from './checks.ts';
import { isLeftover } from './registry-checks.ts';

type Counts = Readonly<Record<string, number>>;

interface Place extends Segment {
  /** The last item that was checked. */
  readonly cursor?: ItemKey | undefined;
  readonly done: boolean;
}

export interface Walk {
  readonly places: readonly Place[];
  /** By kind of item. */
  readonly items: Counts;
  /** Items by kind that a process which died has left, and that nothing reads. */
  readonly leftovers: Counts;
  /** By check. */
  readonly found: Counts;
  /** The first ones, `findingsMax` at most. */
  readonly findings: readonly Finding[];
}

export const findingsMax = 1_000;
export const segmentsMax = 64;

export const newWalk = (segments: number): Walk => ({
  places: (['control', 'runs'] as const).flatMap((table) =>
    Array.from({ length: segments }, (_, segment) => ({ table, segment, of: segments, done: false })),
  ),
  items: {},
  leftovers: {},
  found: {},
  findings: [],
});

export interface VerifyOptions {
  /** Without the checks that decrypt. */
  readonly keepsSealed: boolean;
  /** Ms since 1970. */
  readonly now: () => number;
  /** Waits before what does not agree is read a second time. */
  readonly settle: () => Promise<void>;
  /** Called after each page; it is worth storing. */
  readonly note: (walk: Walk) => void;
}

/** Rejects when AWS fails; what was noted continues. */
export async function verify(from: Walk, options: VerifyOptions): Promise<Walk> {
  let walk = from;
  const advance = (place: Place, page: Checked) => {
    walk = add(walk, place, page);
    options.note(walk);
  };
  const open = from.places.filter(({ done }) => !done);
  const walks = await Promise.allSettled(open.map((place) => walkSegment(place, options, advance)));
  const failed = walks.find((each) => each.status === 'rejected');
  if (failed) throw failed.reason;
  return walk;
}

interface Checked {
  readonly items: Counts;
  readonly leftovers: Counts;
  readonly findings: readonly Finding[];
}

async function walkSegment(
  place: Place,
  options: VerifyOptions,
  advance: (place: Place, page: Checked) => void,
): Promise<void> {
  for await (const { groups, cursor } of readSegment(place, place.cursor)) {
    const checked = await checkGroups(groups, options);
    const { table, segment, of } = place;
    advance({ table, segment, of, cursor, done: cursor === undefined }, checked);
  }
}

/** Groups that are checked at the same time, in each segment. */
const concurrency = 4;

async function checkGroups(groups: readonly Group[], options: VerifyOptions): Promise<Checked> {
  let sum: Checked = { items: {}, leftovers: {}, findings: [] };
  for (let n = 0; n < groups.length; n += concurrency)
    for (const each of await Promise.all(
      groups.slice(n, n + concurrency).map((group) => checkTwice(group, options)),
    ))
      sum = {
        items: total(sum.items, each.items),
        leftovers: total(sum.leftovers, each.leftovers),
        findings: [...sum.findings, ...each.findings],
      };
  return sum;
}

/** Requests change items while they are read, and indexes follow later: only what does not agree twice is found. */
async function checkTwice(group: Group, options: VerifyOptions): Promise<Checked> {
  const first = await checkGroup(group, options);
  if (first.findings.length === 0) return first;
  await options.settle();
  const second = await checkGroup(await readAgain(group), options);
  const seen = new Set(first.findings.map(nameOf));
  return { ...first, findings: second.findings.filter((each) => seen.has(nameOf(each))) };
}

const nameOf = ({ check, pk, sk }: Finding): string => JSON.stringify([check, pk, sk]);

async function checkGroup(group: Group, { keepsSealed, now }: VerifyOptions): Promise<Checked> {
  const { table } = group;
  const items: Record<string, number> = {};
  const leftovers: Record<string, number> = {};
  const findings: Finding[] = [];
  for (const item of group.items) {
    const known = identify(table, item);
    if (!known) {
      findings.push({ check: 'known-item', table, ...keyOf(item) });
      continue;
    }
    const { name } = known.kind;
    items[name] = (items[name] ?? 0) + 1;
    const subject = { item, known, group, now: now() };
    if (await isLeftover(subject)) leftovers[name] = (leftovers[name] ?? 0) + 1;
    for (const [check, { on, opens, find }] of Object.entries<Check>(checks)) {
      if (!on.includes(name) || (opens && keepsSealed)) continue;
      const keys = await find(subject).catch((error: unknown) => {
        throwIfOutside(error);
        return [keyOf(item)];
      });
      findings.push(...keys.map((key) => ({ check, table, ...key })));
    }
  }
  return { items, leftovers, findings };
}

/** Errors that say nothing about the item: AWS cannot be reached, or refuses the operator or the key. */
function throwIfOutside(error: unknown): void {
  if (error instanceof ServiceError && error.code === 'dependency_unavailable') throw error.cause ?? error;
  for (const each of [error, error instanceof Error ? error.cause : undefined])
    if (isTransientFailure(each) || (each instanceof Error && refusals.test(each.name))) throw each;
}

const refusals =
  /AccessDenied|Disabled|NotFoundException|KMSInvalidState|KeyUnavailable|UnrecognizedClient|ExpiredToken|InvalidSignature|ResourceNotFound|CredentialsProvider/;

const total = (one: Counts, other: Counts): Counts => {
  const sum = { ...one };
  for (const [name, count] of Object.entries(other)) sum[name] = (sum[name] ?? 0) + count;
  return sum;
};

function add(walk: Walk, place: Place, { items, leftovers, findings }: Checked): Walk {
  const isPlace = (each: Place) => each.table === place.table && each.segment === place.segment;
  const found: Record<string, number> = {};
  for (const { check } of findings) found[check] = (found[check] ?? 0) + 1;
  return {
    places: walk.places.map((each) => (isPlace(each) ? place : each)),
    items: total(walk.items, items),
    leftovers: total(walk.leftovers, leftovers),
    found: total(walk.found, found),
    findings: [...walk.findings, ...findings].slice(0, findingsMax),
  };
}

export const countItems = ({ items }: Pick<Walk, 'items'>): number =>
  Object.values(items).reduce((sum, count) => sum + count, 0);
export const countFindings = ({ found }: Pick<Walk, 'found'>): number =>
  Object.values(found).reduce((sum, count) => sum + count, 0);
export const doneOf = ({ places }: Walk, table: TableName): string => {
  const of = places.filter((each) => each.table === table);
  return `${of.filter(({ done }) => done).length} of ${of.length}`;
};
