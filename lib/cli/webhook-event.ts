// The body of a webhook, as a file for `agent-flow run` and `trigger` has it.
import { type WebhookBody, webhookBody } from '#lib/run/trigger.ts';
import { describeIssue, describeIssues } from '#lib/zod-messages.ts';
import { readJsonFile } from './read-document.ts';

export async function readEvent(path: string): Promise<WebhookBody> {
  const parsed = webhookBody.safeParse(await readJsonFile(path), { error: (issue) => describeIssue(issue) });
  if (parsed.success) return parsed.data;
  const [mistake] = describeIssues(parsed.error.issues);
  throw new Error(`${path} is not the body of a webhook: ${mistake?.path.join('/')} ${mistake?.detail}.`);
}
