// The graphs that every subject runs: how many nodes a run of each visits, and what it must give.
// All costs are divided by these numbers, also for a subject that needs fewer steps of its own.

export const message = 'Where is my order 1042?';
export const rounds = 20;

/** A queue of so many entries as nested objects, so that a loop over it needs only bare paths. */
export type Queue =
  | { readonly more: false }
  | { readonly more: true; readonly item: number; readonly rest: Queue };

export const queue: Queue = Array.from({ length: rounds }, (_, n) => rounds - n).reduce<Queue>(
  (rest, item) => ({ more: true, item, rest }),
  { more: false },
);

/** What the branches of a fan-out of that width give, in order. */
export const fanned = (width: number): readonly number[] => Array.from({ length: width }, (_, n) => n);

/** A round of a loop is a step and a branch; one node ends the run. */
const loopNodes = 2 * rounds + 1;

export const graphs = [
  { name: 'chain of 10', nodes: 10, result: { text: message } },
  { name: 'chain of 100', nodes: 100, result: { text: message } },
  { name: 'fan-out of 10', nodes: 11, result: { all: fanned(10) } },
  { name: 'fan-out of 100', nodes: 101, result: { all: fanned(100) } },
  { name: 'loop over a queue', nodes: loopNodes, result: { last: rounds } },
  { name: 'counting loop', nodes: loopNodes, result: { count: rounds } },
] as const;

export type GraphName = (typeof graphs)[number]['name'];
