// How much of each part a row can hold: it is one item of DynamoDB, which takes 400 KB, and the parts come from clients.

/** Bytes of JSON; together they leave room for the rest of the row. */
export const bytesMax = { card: 150_000, toolConfig: 100_000, envVariable: 50_000 } as const;
