// Resumes a run whose connections are all stored, for whom the message that does it could not be sent the first time.
import { enqueueWakes } from '#lib/run/run-queue.ts';
import { findWanted, type OpenedLink } from './open-link.ts';

/** The worker checks again what is missing, so a message too many has no effect. */
export async function resumeIfComplete(link: OpenedLink): Promise<void> {
  const { run } = link;
  if (run.status === 'auth_required' && (await findWanted(link)).length === 0) await enqueueWakes([run]);
}
