// The bounds of a tool of kind `knowledge`, as docs/flows/agent.md has them.

export const knowledgeLimits = {
  /** Passages that one search gives, and how many an agent can cite. */
  topKDefault: 5,
  topKMax: 50,
  passagesMax: 200,
  /** Characters of a query, of a passage and its source for the model, and of a passage in `citations`. */
  queryChars: 1_000,
  passageChars: 4_000,
  sourceChars: 1_000,
  citationChars: 300,
} as const;
