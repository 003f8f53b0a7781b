// The lines of an archive: a header, a record for each item, and an end that counts them. Each is JSON; bytes are in
// base64 as `{"$bytes": …}`. What is encrypted in the tables is in plain here, since the archive is sealed as a whole.
import * as z from 'zod';

export const archiveVersion = 1;

export const header = z.strictObject({
  format: z.literal('agent-flow-organisation'),
  version: z.int(),
  /** Distinguishes archives of the same organisation. */
  archive_id: z.string(),
  orgid: z.string(),
  tenant: z.string(),
  created_at: z.string(),
  with_secrets: z.boolean(),
});
export type Header = z.infer<typeof header>;

export const record = z.strictObject({
  table: z.enum(['control', 'runs']),
  item: z.looseObject({ pk: z.string(), sk: z.string() }),
  /** The workspace under whose context the item was encrypted; empty for what is of the whole organisation. */
  workspaceid: z.string(),
  /** The flow of a registry row, as JSON. */
  flow: z.string().optional(),
  /** The snapshot with which a fork began, as JSON. */
  first_snapshot: z.string().optional(),
});
export type ArchiveRecord = z.infer<typeof record>;

export const end = z.strictObject({ end: z.literal(true), records: z.int() });

export const writeLine = (value: object): string => `${JSON.stringify(value)}\n`;

/** Bytes inside of an item, which JSON does not have. */
export function packBytes(value: unknown): unknown {
  if (value instanceof Uint8Array) return { $bytes: Buffer.from(value).toString('base64') };
  if (Array.isArray(value)) return value.map(packBytes);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, packBytes(each)]));
}

export function unpackBytes(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(unpackBytes);
  if (typeof value !== 'object' || value === null) return value;
  if ('$bytes' in value && typeof value.$bytes === 'string') return Buffer.from(value.$bytes, 'base64');
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, unpackBytes(each)]));
}
