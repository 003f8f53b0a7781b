// What a flow has stored beyond its runs, as callers see it: everything but the content.
import * as z from 'zod';
import type { StoreKey } from '#lib/flow/ports/store.ts';
import type { ListedValue } from '#lib/run/stored-value-items.ts';

export const memoryKind = z.enum(['value', 'conversation', 'context']).meta({
  description:
    '`value`: of a `store` node. `conversation`: of a `key` that the flow names. `context`: of a caller in an A2A context.',
});

/** The longest key has 200 characters, of three bytes each. */
export const memoryId = z
  .string()
  .regex(
    /^(value|conversation|context)\.[A-Za-z0-9_-]{2,800}$/,
    'must be "value.", "conversation." or "context." and 2 to 800 letters, digits, "-" or "_"',
  )
  .meta({
    description: 'The kind, a dot, and the key in base64url without padding; that of a `context` is opaque.',
    example: 'value.dmlzaXRzLzQy',
  });

export const memoryEntry = z
  .strictObject({
    memory_id: memoryId,
    kind: memoryKind,
    key: z.string().optional().meta({ description: 'As the flow names it; absent for a `context`.' }),
    context_id: z.string().optional().meta({ description: 'The `contextId` of a `context`.' }),
    created_by: z
      .string()
      .optional()
      .meta({ description: 'The caller of a `context`, if of the same organisation.' }),
    bytes: z.int().meta({ description: 'Size of the encrypted content.' }),
    updated_at: z.iso.datetime(),
    expires_at: z.iso.datetime().meta({ description: 'Unless it is written again.' }),
  })
  .meta({ id: 'MemoryEntry' });
export type MemoryEntry = z.infer<typeof memoryEntry>;

export function toMemoryEntry({ space, key, ttl, ...listed }: ListedValue): MemoryEntry {
  const { context_id, created_by, bytes, updated_at } = listed;
  return {
    memory_id: writeMemoryId({ space, key }),
    kind: space,
    ...(space !== 'context' && { key }),
    ...(context_id !== undefined && { context_id }),
    ...(created_by !== undefined && { created_by }),
    bytes,
    updated_at,
    expires_at: new Date(ttl * 1000).toISOString(),
  };
}

/** Keys can have any character, such as "/", which a part of a path cannot. */
export const writeMemoryId = ({ space, key }: StoreKey): string =>
  `${space}.${Buffer.from(key).toString('base64url')}`;

/** Undefined if it is the id of nothing. Several texts decode to the same bytes; only one of them is the id. */
export function readMemoryId(id: string): StoreKey | undefined {
  const [kind, encoded = ''] = id.split('.');
  const key = { space: memoryKind.parse(kind), key: Buffer.from(encoded, 'base64url').toString() };
  return writeMemoryId(key) === id ? key : undefined;
}
