// Members of a row that more than the registry's API knows. Apart from the row itself, whose card and bodies a function that runs flows need not load.
import * as z from 'zod';
import { jsonBytes, tooLarge } from '#lib/json/size.ts';
import { bytesMax } from './item-size.ts';

export const status = z.enum(['test', 'live']).meta({ description: 'Deployment status.' });
export const visibility = z.enum(['public', 'organization']).meta({
  description:
    '"public": any valid API key may call the agent. "organization": only keys of the same organisation.',
});
export type Status = z.infer<typeof status>;
export type Visibility = z.infer<typeof visibility>;

export const envVariable = z
  .record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,63}$/, 'must be a variable name'), z.string().max(4096))
  .refine((value) => jsonBytes(value) <= bytesMax.envVariable, tooLarge(bytesMax.envVariable))
  .meta({ description: 'Plain variables that the flow sees as `env`. Not for secrets.' });
