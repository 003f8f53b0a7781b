// What a generated flow consists of: a tree of parts, each of which becomes one or a few nodes. Small numbers choose
// the fields of a node, so that a flow that fails shrinks to a small one.
import fc from 'fast-check';
import { nodeTypes } from '#lib/flow/definition/node-types.ts';
import { type MergeRule, mergeRules } from '#lib/flow/nodes/merge-field.ts';

export type NodeTypeName = keyof typeof nodeTypes;

/** These have parts of their own. */
const blockTypes = ['parallel', 'map'] as const satisfies readonly NodeTypeName[];

const leafTypes = (Object.keys(nodeTypes) as NodeTypeName[]).filter(
  (type) => !(blockTypes as readonly string[]).includes(type),
);

export interface Handling {
  readonly retries: boolean;
  readonly catches: boolean;
}

export interface Merging {
  /** How a variable that each scope sets reaches the state around them. */
  readonly merge: MergeRule | undefined;
}

export interface Leaf extends Handling {
  readonly kind: 'leaf';
  readonly type: NodeTypeName;
  readonly pick: number;
}

export type Part =
  | Leaf
  | {
      readonly kind: 'loop';
      readonly times: number;
      readonly visits: number;
      /** Whether the run continues after the loop when it has no visits left. */
      readonly leadsOn: boolean;
      readonly parts: readonly Part[];
    }
  | ({
      readonly kind: 'parallel';
      readonly join: 'all' | 'first' | 'settled';
      readonly branches: readonly (readonly Part[])[];
    } & Handling &
      Merging)
  | ({
      readonly kind: 'map';
      readonly items: number;
      readonly width: number;
      readonly onError: 'fail' | 'collect' | 'skip';
      readonly parts: readonly Part[];
    } & Handling &
      Merging);

const handling = { retries: fc.boolean(), catches: fc.boolean() };
const merging = { merge: fc.option(fc.constantFrom(...mergeRules), { nil: undefined }) };

const leaf: fc.Arbitrary<Part> = fc.record({
  kind: fc.constant('leaf'),
  type: fc.constantFrom(...leafTypes),
  pick: fc.nat({ max: 1023 }),
  ...handling,
});

const { parts } = fc.letrec<{ part: Part; parts: readonly Part[] }>((tie) => ({
  part: fc.oneof(
    { maxDepth: 2, withCrossShrink: true },
    { arbitrary: leaf, weight: 8 },
    fc.record({
      kind: fc.constant('loop'),
      times: fc.integer({ min: 1, max: 3 }),
      visits: fc.integer({ min: 1, max: 4 }),
      leadsOn: fc.boolean(),
      parts: tie('parts'),
    }),
    fc.record({
      kind: fc.constant('parallel'),
      join: fc.constantFrom('all', 'settled', 'first'),
      branches: fc.array(tie('parts'), { minLength: 1, maxLength: 3 }),
      ...handling,
      ...merging,
    }),
    fc.record({
      kind: fc.constant('map'),
      items: fc.nat({ max: 3 }),
      width: fc.integer({ min: 1, max: 3 }),
      onError: fc.constantFrom('fail', 'collect', 'skip'),
      parts: tie('parts'),
      ...handling,
      ...merging,
    }),
  ),
  parts: fc.array(tie('part'), { minLength: 1, maxLength: 3 }),
}));

export interface FlowPlan {
  readonly parts: readonly Part[];
  /** Chooses limits of the flow; most values leave room. */
  readonly limit: number;
}

export const flowPlan: fc.Arbitrary<FlowPlan> = fc.record({ parts, limit: fc.nat({ max: 15 }) });

/** Whether scopes of the flow may run at the same time. */
export const isConcurrent = (parts: readonly Part[]): boolean =>
  parts.some(
    (part) =>
      part.kind === 'parallel' || part.kind === 'map' || (part.kind === 'loop' && isConcurrent(part.parts)),
  );

/** Tasks of other agents are read now and then while the run is paused, so when they end depends on who waits. */
export const hasRemoteTasks = (parts: readonly Part[]): boolean =>
  parts.some((part) =>
    part.kind === 'leaf'
      ? part.type === 'a2a' || part.type === 'agent'
      : part.kind === 'parallel'
        ? part.branches.some(hasRemoteTasks)
        : hasRemoteTasks(part.parts),
  );

/** Which branch of a `parallel` is first may depend on who answers first. */
export const isRace = (parts: readonly Part[]): boolean =>
  parts.some((part) => {
    if (part.kind === 'leaf') return false;
    if (part.kind !== 'parallel') return isRace(part.parts);
    return (part.join === 'first' && part.branches.length > 1) || part.branches.some(isRace);
  });
