// What an evaluation knows of the execution of the node that it is for.

/**
 * The execution of a node whose expressions are evaluated. `$now`, `$uuid` and `$random` follow from it, so that
 * an execution that is repeated after a crash gets the same values.
 */
export interface Execution {
  /** Unique in the run. */
  readonly key: string;
  /** When it began, or resumed after a pause of its own; in ms since 1970. */
  readonly startedAt: number;
  /** The number of evaluations so far. */
  evaluations: number;
}
