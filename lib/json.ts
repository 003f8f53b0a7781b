// JSON values, as types and as schemas, and nothing else.
import * as z from 'zod';

export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };
export type JsonObject = { readonly [key: string]: Json };

export const json: z.ZodType<Json, Json> = z.json();
export const jsonObject = z.record(z.string(), json);
