// JSON values, as types and as schemas, and how deep they are; nothing else.
import * as z from 'zod';

export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };
export type JsonObject = { readonly [key: string]: Json };

export const json: z.ZodType<Json, Json> = z.json();
export const jsonObject = z.record(z.string(), json);

/** Level by level instead of by recursion, so that the depth it looks for cannot hurt it. */
export function isDeeperThan(value: unknown, levels: number): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > levels) return true;
    level = level.flatMap((each) => (typeof each === 'object' && each !== null ? Object.values(each) : []));
  }
  return false;
}
