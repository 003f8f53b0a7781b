// The schema of a domain in a tenant file.
import * as z from 'zod';

export const domain = z
  .strictObject({
    domainName: z
      .string()
      .regex(/^([a-z0-9-]+\.)+[a-z]{2,}$/, 'must be a host name such as agents.example.com'),
    /** Without it, the stack makes a certificate, which needs `hostedZone`. */
    certificateArn: z
      .string()
      .regex(/^arn:aws[a-z-]*:acm:/, 'must be the ARN of an ACM certificate in the same region')
      .optional(),
    /** The zone of the name in Route 53, if it is in the account: the stack makes the DNS record. */
    hostedZone: z
      .strictObject({
        id: z.string().regex(/^Z[A-Z0-9]{1,31}$/, 'must be the id of a hosted zone, such as Z0123456789ABC'),
        name: z.string().regex(/^([a-z0-9-]+\.)+[a-z]{2,}$/, 'must be a domain such as example.com'),
      })
      .optional(),
  })
  .refine(({ certificateArn, hostedZone }) => certificateArn !== undefined || hostedZone, {
    path: ['certificateArn'],
    error: 'must be given unless there is a hostedZone, with which the stack makes a certificate',
  })
  .refine(({ domainName, hostedZone }) => !hostedZone || `.${domainName}`.endsWith(`.${hostedZone.name}`), {
    path: ['hostedZone', 'name'],
    error: 'must be the domain, or the end of it',
  });
