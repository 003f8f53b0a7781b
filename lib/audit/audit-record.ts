// The audit record of a request, and the log line that carries it. The schema is an allow-list: bodies,
// queries, headers, tokens and error messages are never part of a record.
import * as z from 'zod';
import { orgid, workspaceid } from '#lib/ids.ts';
import { built } from '#lib/json/built-schema.ts';

export const auditRecord = /* @__PURE__ */ z.lazy(() =>
  z
    .strictObject({
      at: z.iso.datetime().meta({ description: 'When the request came in.' }),
      requestid: z.string().meta({ description: '`X-Request-Id` of the answer.' }),
      operation: z.string().meta({ description: 'What was asked for.', example: 'registry/promote-live' }),
      caller: z.string().meta({
        description: 'The principal: a user (`user_…`), a service (`service_…`), or the id of an API key.',
      }),
      root: z.string().optional().meta({
        description: 'Of an API key that another principal has made: who began the chain of keys.',
      }),
      orgid: z.string(),
      workspaceid: z.string().optional().meta({
        description: 'None where the request is about the organisation or about nothing that it has.',
      }),
      resource: z.string().optional().meta({
        description: 'The id of what was asked for or made.',
        example: 'reg_01JD2Q3V5W7X9Y1Z3A5B7C9D1E',
      }),
      link: z.string().optional().meta({
        description:
          'Where it was done through a link to the configuration page: the task, and the beginning of the hash of the link.',
        example: '0193a5c0-7c1e-7e3b-9b5e-2f6d8c4a1b3e#5f2c9a1b3d4e',
      }),
      status: z.int().meta({ description: 'The HTTP status of the answer.' }),
      code: z.string().optional().meta({ description: 'The error code, if it was refused or failed.' }),
    })
    .meta({ id: 'AuditRecord' }),
);
export type AuditRecord = z.infer<typeof auditRecord>;

/**
 * A record as a line in the log of a function. Members that become part of a key have bounded lengths, as
 * DynamoDB requires.
 */
export const auditLine = /* @__PURE__ */ z.lazy(() =>
  z.strictObject({
    audit: z.strictObject({
      ...built(auditRecord).shape,
      requestid: z.string().min(1).max(128),
      /**
       * Undefined for a request without a caller: its record is for the operator and not available in the API.
       */
      orgid: orgid.optional(),
      workspaceid: workspaceid.optional(),
    }),
  }),
);
export type AuditEntry = z.infer<typeof auditLine>['audit'];

/** Only lines with a record have this field; subscriptions of log groups filter by it. */
export const auditLineField = '$.audit.requestid';

/**
 * Prints a record as a line of the function's log. The line is durable and costs the request no call; a
 * subscription of the log group brings it to the trail (`record-lines.ts`). It bypasses the logger, so no log
 * level silences it. Node.js writes to a pipe synchronously, so the line is written before Lambda freezes the
 * process.
 */
export function printRecord(entry: AuditEntry): void {
  process.stdout.write(`${JSON.stringify({ audit: entry })}\n`);
}
