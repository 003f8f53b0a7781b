// What a drill reports.

/** What happened, each as a sentence with the values that were seen. */
export interface Transcript {
  readonly fault: string;
  readonly seen: readonly string[];
  readonly cure: string;
  readonly after: readonly string[];
}
