// What the audit trail keeps of a request: an allow-list. Bodies, queries, headers, tokens and what an error says are never among it.
import * as z from 'zod';

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
