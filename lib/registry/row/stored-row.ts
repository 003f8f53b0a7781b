// The registry's items as they are stored, parsed once when they are read: rows, flows and the owners of
// flowids. The schemas of the API are in `row.ts`, which functions that run flows do not load.
import * as z from 'zod';
import { jsonBytes, tooLarge } from '#lib/json/size.ts';

/**
 * A row is one item of DynamoDB, which takes 400 KB. Bytes of JSON; together they leave room for the rest of
 * the row.
 */
export const bytesMax = { card: 150_000, toolConfig: 100_000, envVariable: 50_000 } as const;

export const status = z.enum(['test', 'live']).meta({ description: 'Deployment status.' });
export const visibility = z.enum(['public', 'organization']).meta({
  description:
    '"public": any valid API key may call the agent. "organization": only keys of the same organisation.',
});
export type Status = z.infer<typeof status>;
export type Visibility = z.infer<typeof visibility>;

export const envVariable = /* @__PURE__ */ z.lazy(() =>
  z
    .record(
      z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,63}$/, 'must be a variable name'),
      z.string().max(4096),
    )
    .refine((value) => jsonBytes(value) <= bytesMax.envVariable, tooLarge(bytesMax.envVariable))
    .meta({ description: 'Plain variables that the flow sees as `env`. Not for secrets.' }),
);

/**
 * The form in which rows are written. Rows of form 1, which have no number, may lack their position in the index by
 * status, and postings; rows of form 2 have words that only lists find. The migration `search-index` gives them all.
 */
export const rowFormat = 3;

export const signature = /* @__PURE__ */ z.lazy(() =>
  z.object({ protected: z.string(), signature: z.string() }),
);
export type Signature = z.infer<typeof signature>;

export const storedRow = /* @__PURE__ */ z.lazy(() =>
  z.object({
    format: z.number().optional(),
    a2aregistryid: z.string(),
    flowid: z.string(),
    flow_version: z.string().optional(),
    label: z.string().optional(),
    note: z.string().optional(),
    build_no: z.number(),
    workspaceid: z.string(),
    orgid: z.string(),
    status,
    visibility,
    /** The card without its URL and signatures, as JSON. */
    card: z.string(),
    /**
     * Cards are signed when they are requested (`registry/card`). Rows that were written before have the signatures of
     * the card for its two URLs here, the later ones of them also those of the forms that SDKs verify and of the card
     * for callers of the organisation.
     */
    signatures: z.object({ test: signature, live: signature }).optional(),
    sdk_signatures: z.object({ test: z.array(signature), live: z.array(signature) }).optional(),
    extended_signatures: z.object({ test: z.array(signature), live: z.array(signature) }).optional(),
    /** The base of the URLs of its cards. */
    gateway_url: z.string(),
    /** Whether the short live URL of the flow is this workspace's. */
    owns_live_url: z.boolean(),
    tags: z.array(z.string()),
    /** The skills whose only tag is their own id, because the author gave none: nobody finds them by it. */
    untagged_skills: z.array(z.string()).optional(),
    tool_config: z.string().optional(),
    env_variable: z.record(z.string(), z.string()).optional(),
    egress: z.array(z.string()),
    payload_id: z.string(),
    payload_chunks: z.number(),
    /**
     * What lists find the row by, under the ids of the writes that made the postings; rows of
     * form 1 may have none.
     */
    postings: z.record(z.string(), z.array(z.string())).optional(),
    /** Names the postings by which the search finds the live build; out of date in a row that is not live. */
    search_id: z.string().optional(),
    /**
     * The live build when this row was last written: a guess that saves promotion a read; conditions decide.
     */
    seen_live: z.string().optional(),
    /** Its version then. */
    seen_live_version: z.number().optional(),
    /** The build that this one was promoted over: a rollback brings it back. */
    previous_live: z.string().optional(),
    version: z.number(),
    created_at: z.string(),
    updated_at: z.string(),
    created_by: z.string(),
  }),
);
export type StoredRow = z.infer<typeof storedRow>;

/** One per flow and workspace: counts its builds and points at the live one. */
export const storedFlow = /* @__PURE__ */ z.lazy(() =>
  z.object({
    flowid: z.string(),
    orgid: z.string(),
    workspaceid: z.string(),
    /** Builds ever made; the last `build_no`. */
    last_build_no: z.number(),
    /** Builds that exist. */
    build_count: z.number(),
    live: z.string().optional(),
    /** The version of the live row when it went live: a guess of its version now. */
    live_version: z.number().optional(),
    /** On the card of the build registered last; flows older than this attribute have none. */
    name: z.string().optional(),
    updated_at: z.string(),
  }),
);
export type StoredFlow = z.infer<typeof storedFlow>;

/** The workspace that registered the flowid first in the tenant; the short live URL is its. */
export const storedOwner = /* @__PURE__ */ z.lazy(() =>
  z.object({ orgid: z.string(), workspaceid: z.string() }),
);
export type StoredOwner = z.infer<typeof storedOwner>;
