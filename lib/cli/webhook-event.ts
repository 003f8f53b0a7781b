// The event of a webhook, as a file of `agent-flow run` has it.
import * as z from 'zod';
import { jsonObject } from '#lib/json/json.ts';

export const webhookEvent = z.strictObject({ event: z.string(), data: jsonObject.optional() });
