// The schema of CloudFormation templates, as far as this folder reads them.
import * as z from 'zod';

const resource = z.looseObject({
  Type: z.string(),
  Properties: z.record(z.string(), z.unknown()).optional(),
  Metadata: z.record(z.string(), z.unknown()).optional(),
  DependsOn: z.union([z.string(), z.array(z.string())]).optional(),
});

export const template = z.looseObject({
  Resources: z.record(z.string(), resource),
  Outputs: z
    .record(
      z.string(),
      z.looseObject({ Value: z.unknown(), Export: z.object({ Name: z.string() }).optional() }),
    )
    .optional(),
});

export type Template = z.infer<typeof template>;
