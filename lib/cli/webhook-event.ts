// The event of a webhook, as a file for `agent-flow run` and `trigger` has it.
import * as z from 'zod';
import { jsonObject } from '#lib/json/json.ts';
import { readJsonFile } from './read-document.ts';

const webhookEvent = z.strictObject({ event: z.string(), data: jsonObject.optional() });

export async function readEvent(path: string): Promise<z.infer<typeof webhookEvent>> {
  const { data, error } = webhookEvent.safeParse(await readJsonFile(path));
  if (data) return data;
  throw new Error(`${path} is not a webhook event: ${error.issues[0]?.message ?? 'expected {event, data}'}.`);
}
