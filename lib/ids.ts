// The schemas of ids, and the functions that create them. No other file creates ids.
import { createHash, randomBytes } from 'node:crypto';
import { ulid } from 'ulid';
import { v5, v7 } from 'uuid';
import * as z from 'zod';

/**
 * Letters, digits, `.`, `_` and `-`, as an API Gateway path part allows; the words that are routes of their
 * own are reserved.
 */
const name = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
export const reservedFlowIds: ReadonlySet<string> = new Set(['agents', 'mcp', 'tasks', 'extendedAgentCard']);
const reservedWorkspaceIds = new Set(['start', 'status', 'cancel', 'resume']);

export const flowid = /* @__PURE__ */ z.lazy(() =>
  z
    .string()
    .regex(name, 'must be 1 to 64 letters, digits, ".", "_" or "-" and start with a letter or digit')
    .refine((id) => !reservedFlowIds.has(id), 'is a reserved word')
    .refine((id) => !isTriggerId(id), 'must not begin like the id of a trigger, with "trg_"')
    .meta({ description: 'The agent graph that builds belong to.', example: 'support-triage' }),
);
/** A declared trigger. Flows cannot have such an id, so the id shows which of the two it names. */
export const declaredTriggerId = /* @__PURE__ */ z.lazy(() =>
  z
    .string()
    .regex(
      /^trg_[A-Za-z0-9][A-Za-z0-9._-]{0,59}$/,
      'must be "trg_" and 1 to 60 letters, digits, ".", "_" or "-", first a letter or digit',
    )
    .meta({ description: 'A declared trigger.', example: 'trg_nightly-report' }),
);
export const isTriggerId = (id: string): boolean => id.startsWith('trg_');
/** 128 random bits, in the address of a declared trigger with a source. */
export const webhookId = /* @__PURE__ */ z.lazy(() =>
  z
    .string()
    .regex(/^[\w-]{22}$/, 'must be 22 letters, digits, "-" or "_"')
    .meta({ description: 'The address of a webhook with a source.', example: 'q3HkXJ0cYb6f1mP9sWt2Zw' }),
);
/** The id in the URL of a trigger: every flow has a trigger of its own, whose id is its flowid. */
export const triggerReference = /* @__PURE__ */ z.lazy(() =>
  z
    .string()
    .regex(name, 'must be 1 to 64 letters, digits, ".", "_" or "-" and start with a letter or digit')
    .refine((id) => !reservedFlowIds.has(id), 'is a reserved word')
    .meta({
      description: "A flowid, for the flow's own trigger, or the id of a declared trigger.",
      example: 'support-triage',
    }),
);
export const workspaceid = /* @__PURE__ */ z.lazy(() =>
  z
    .string()
    .regex(name, 'must be 1 to 64 letters, digits, ".", "_" or "-" and start with a letter or digit')
    .refine((id) => !reservedWorkspaceIds.has(id), 'is a reserved word')
    .meta({ description: 'A workspace of the organisation.', example: 'ws_demo' }),
);
export const orgid = /* @__PURE__ */ z.lazy(() =>
  z
    .string()
    .regex(name, 'must be 1 to 64 letters, digits, ".", "_" or "-" and start with a letter or digit')
    .meta({ description: 'An organisation of the tenant.', example: 'org_demo' }),
);

/** A workspace with its organisation: workspaces of two organisations may have the same id. */
export interface WorkspaceScope {
  readonly orgid: string;
  readonly workspaceid: string;
}

export const registryId = /* @__PURE__ */ z.lazy(() =>
  z
    .string()
    .regex(/^reg_[0-9A-HJKMNP-TV-Z]{26}$/, 'must be "reg_" and 26 characters')
    .meta({ description: 'A registry row: one build of a flow.', example: 'reg_01JD2Q3V5W7X9Y1Z3A5B7C9D1E' }),
);
/** `build-{n}` is accepted in place of a registry id in a test URL. */
const buildNumber = /* @__PURE__ */ z.lazy(() =>
  z.string().regex(/^build-[1-9]\d{0,8}$/, 'must be "build-" and a number'),
);
export const buildReference = /* @__PURE__ */ z.lazy(() =>
  z.union([registryId, buildNumber], 'must be a registry id or build-{n}').meta({
    description: 'A registry id, or `build-{n}` for the n-th build of the flow.',
    example: 'reg_01JD2Q3V5W7X9Y1Z3A5B7C9D1E',
  }),
);
export const runId = /* @__PURE__ */ z.lazy(() =>
  z.uuid({ error: 'must be a UUID' }).meta({
    description: 'A run, which is also an A2A task.',
    example: '0193a5c0-7c1e-7e3b-9b5e-2f6d8c4a1b3e',
  }),
);

/** 128 random bits. */
export const fileId = /* @__PURE__ */ z.lazy(() =>
  z
    .string()
    .regex(/^file_[\w-]{22}$/, 'must be "file_" and 22 letters, digits, "-" or "_"')
    .meta({ description: 'A file.', example: 'file_Tq3HkXJ0cYb6f1mP9sWt2Z' }),
);

export const keyId = /* @__PURE__ */ z.lazy(() =>
  z
    .string()
    .regex(/^key_[A-Za-z0-9_-]{1,64}$/, 'must be "key_" and 1 to 64 letters, digits, "_" or "-"')
    .meta({
      description: 'An API key, as logs and records name it.',
      example: 'key_01JD2Q3V5W7X9Y1Z3A5B7C9D1E',
    }),
);

/** `key_` + ULID: sorts by time of creation. */
export const newKeyId = (): string => `key_${ulid()}`;
/** `reg_` + ULID: sorts by time of creation. */
export const newRegistryId = (): string => `reg_${ulid()}`;
/** `ws_` + ULID: sorts by time of creation. */
export const newWorkspaceId = (): string => `ws_${ulid()}`;
/** `trg_` + ULID: sorts by time of creation. */
export const newTriggerId = (): string => `trg_${ulid()}`;
export const newWebhookId = (): string => randomBytes(16).toString('base64url');
/** A file that a run stores: the same text always names the same file. */
export const deriveFileId = (text: string): string =>
  `file_${createHash('sha256').update(text).digest().subarray(0, 16).toString('base64url')}`;
export const newFileId = (): string => `file_${randomBytes(16).toString('base64url')}`;
/** Names one write of a payload, so that two writers never touch each other's chunks. */
export const newPayloadId = (): string => ulid();
/** Names one write of postings, for the same reason. */
export const newPostingsId = (): string => ulid();
/** UUIDv7 (RFC 9562): sorts by time of creation, and is the A2A task id. */
export const newRunId = (): string => v7();
/** UUIDv5 (RFC 9562) of a text: the same text always names the same run. */
export const deriveRunId = (text: string): string => v5(text, runNamespace);
/** The same for the id of a message to another agent. */
export const deriveMessageId = (text: string): string => v5(`message ${text}`, runNamespace);
const runNamespace = '8f0d6f2e-7f0c-4c53-9a3e-2b9f6f6f4f5d';
