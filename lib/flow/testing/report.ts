// What the tests of a flow came to, as the API answers it and the terminal prints it.
import * as z from 'zod';
import { jsonObject } from '#lib/json/json.ts';

const got = z.strictObject({
  status: z.enum(['completed', 'failed']),
  response: jsonObject.optional(),
  error: z.strictObject({ code: z.string(), message: z.string(), node_id: z.string().optional() }).optional(),
});

const testResult = z.strictObject({
  name: z.string().meta({ description: 'Its own, or its number.' }),
  passed: z.boolean(),
  expectation: z.string(),
  got: got.optional().meta({ description: 'How the run ended, when that is not what was expected.' }),
  path: z.array(z.string()).meta({ description: 'The nodes that were entered, in order.' }),
  error: z.string().optional().meta({ description: 'Why it did not pass.' }),
});

export const testReport = z
  .strictObject({
    passed: z.boolean().meta({ description: 'Whether all did; also true when the flow has no tests.' }),
    tests: z.array(testResult),
  })
  .meta({ id: 'FlowTestReport' });

export type Got = Readonly<z.infer<typeof got>>;
export type TestResult = Readonly<z.infer<typeof testResult>>;
export type TestReport = Readonly<z.infer<typeof testReport>>;
