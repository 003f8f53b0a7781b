// The limits of callers; a tenant sets its own in `tenants/{id}.json`.
import * as z from 'zod';
import { optionalEnv } from '#lib/env.ts';

/** Requests are counted in windows of this length. */
export const windowSeconds = 10;

const mebibyte = 1024 * 1024;
/**
 * The size of a request body. API Gateway takes 10 MB, Lambda 6 MB in its own encoding, and SQS 256 KB with
 * what we add.
 */
const bodyBytes = (max: number) => z.int().min(1_000).max(max).default(max);

const bodies = /* @__PURE__ */ z.lazy(() =>
  z.strictObject({
    /** Builds: an Agent Card and a flow of 2 MB. */
    build: bodyBytes(3_000_000),
    /** A message with its variables, or an event. */
    trigger: bodyBytes(256_000),
    /** A message over A2A, with its files. */
    agent: bodyBytes(mebibyte),
    /** Other requests to the management API. */
    management: bodyBytes(256_000),
  }),
);

export const limits = /* @__PURE__ */ z.lazy(() =>
  z.strictObject({
    /** Requests of one API key in a window, and to the address of one webhook. */
    key_requests: z.int().min(10).max(1_000_000).default(500),
    /** Requests of all keys of one organisation in a window. */
    org_requests: z.int().min(10).max(1_000_000).default(1_000),
    /**
     * Requests of one network address to the configuration page, and push notifications from it, in a window; many
     * people may share an address.
     */
    address_requests: z.int().min(10).max(1_000_000).default(100),
    /** Forms sent with one link to the configuration page, and push notifications that change one task, in a window. */
    link_requests: z.int().min(5).max(1_000).default(10),
    /** Registrations of OAuth clients from one network address in a window. */
    address_registrations: z.int().min(1).max(1_000_000).default(10),
    /**
     * Runs that callers of one organisation wait for at the same time. They share one DynamoDB item, which
     * limits their number.
     */
    org_waiting_runs: z.int().min(1).max(500).default(50),
    /** The same, of one API key. */
    key_waiting_runs: z.int().min(1).max(500).default(20),
    /**
     * Runs that callers of one organisation follow at the same time. Each occupies a function, but no permit
     * for waiting.
     */
    org_followed_runs: z.int().min(1).max(500).default(50),
    /** The same, of one API key. */
    key_followed_runs: z.int().min(1).max(500).default(20),
    /** Files that one organisation has brought and that have not expired, and their bytes. */
    org_files: z.int().min(1).max(1_000_000).default(10_000),
    org_file_bytes: z.int().min(26_214_400).max(1_000_000_000_000).default(10_737_418_240),
    body_bytes: bodies.prefault({}),
  }),
);
/** Which limit of `body_bytes` applies to a body. */
export type BodyKind = keyof z.infer<typeof bodies>;
export type Limits = z.infer<typeof limits>;

let parsed: { readonly text: string; readonly limits: Limits } | undefined;

/** Read at each use, because tests and tenants change it; parsed only when it has changed. */
export function tenantLimits(): Limits {
  const text = optionalEnv('LIMITS') ?? '{}';
  if (parsed?.text !== text) parsed = { text, limits: limits.parse(JSON.parse(text)) };
  return parsed.limits;
}
