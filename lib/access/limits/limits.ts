// The table of how much callers may ask for; a tenant sets its own in `tenants/{id}.json`.
import * as z from 'zod';
import { optionalEnv } from '#lib/env.ts';

/** Requests are counted in windows of this length. */
export const windowSeconds = 10;

export const limits = z.strictObject({
  /** Requests of one API key in a window. */
  key_requests: z.int().min(10).max(1_000_000).default(500),
  /** Requests of all keys of one organisation in a window. */
  org_requests: z.int().min(10).max(1_000_000).default(1_000),
  /** Runs that callers of one organisation wait for at the same time. They share one item of DynamoDB, which bounds them. */
  org_waiting_runs: z.int().min(1).max(500).default(50),
});
export type Limits = z.infer<typeof limits>;

/** Read when used: it costs microseconds. */
export const tenantLimits = (): Limits => limits.parse(JSON.parse(optionalEnv('LIMITS') ?? '{}'));
