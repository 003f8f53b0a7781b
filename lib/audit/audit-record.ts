// What the audit trail keeps of a request: an allow-list. Bodies, queries, headers, tokens and what an error
// says are never among it.
import * as z from 'zod';
import { orgid, workspaceid } from '#lib/ids.ts';

export const auditRecord = z
  .strictObject({
    at: z.iso.datetime().meta({ description: 'When the request came in.' }),
    requestid: z.string().meta({ description: '`X-Request-Id` of the answer.' }),
    operation: z.string().meta({ description: 'What was asked for.', example: 'registry/promote-live' }),
    caller: z.string().meta({ description: 'The id of the API key.' }),
    orgid: z.string(),
    workspaceid: z.string().optional().meta({
      description: 'None where the request is about the organisation or about nothing that it has.',
    }),
    resource: z.string().optional().meta({
      description: 'The id of what was asked for or made.',
      example: 'reg_01JD2Q3V5W7X9Y1Z3A5B7C9D1E',
    }),
    status: z.int().meta({ description: 'The HTTP status of the answer.' }),
    code: z.string().optional().meta({ description: 'The error code, if it was refused or failed.' }),
  })
  .meta({ id: 'AuditRecord' });
export type AuditRecord = z.infer<typeof auditRecord>;

/**
 * A record on its way to the trail, as a line of a function's log. What becomes part of a key is bounded, as
 * DynamoDB wants it.
 */
export const auditLine = z.strictObject({
  audit: z.strictObject({
    ...auditRecord.shape,
    requestid: z.string().min(1).max(128),
    /** None for a request that nobody can be held to: kept for the operator, out of reach of the API. */
    orgid: orgid.optional(),
    workspaceid: workspaceid.optional(),
  }),
});
export type AuditEntry = z.infer<typeof auditLine>['audit'];

/** Only lines with a record have it: what a subscription of a log group looks for. */
export const auditLineField = '$.audit.requestid';
