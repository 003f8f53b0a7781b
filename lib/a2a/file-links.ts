// URLs to download the stored files that a task answers with. They are signed whenever the task is read, since they
// expire; who may read the task gets these files and no others.
import type { FileContent } from '#lib/flow/engine/output.ts';
import type { OutputMessage } from '#lib/run/output.ts';
import { type RunView, viewRun } from '#lib/run/state.ts';
import type { StoredEvent, StoredRun } from '#lib/run/stored-run.ts';

type FileRun = Pick<StoredRun, 'orgid' | 'workspaceid'>;

/** The same events, with URLs in place of stored files. */
export async function withFileLinks<E extends StoredEvent>(run: FileRun, events: readonly E[]): Promise<E[]> {
  if (!events.some(mayHaveFiles)) return [...events];
  const { presignDownload } = await import('#lib/file/object-store.ts');
  const { cleanMediaType, cleanName } = await import('#lib/file/clean-labels.ts');
  const now = Date.now();
  const toLink = (file: FileContent): FileContent => {
    if (!('file' in file)) return file;
    const { file: fileid, ...labels } = file;
    const { orgid, workspaceid } = run;
    const name = cleanName(labels.filename ?? '');
    const media_type = cleanMediaType(labels.media_type ?? '');
    return { url: presignDownload({ orgid, workspaceid, fileid, name, media_type }, now), ...labels };
  };
  return events.map((event) => {
    if (!mayHaveFiles(event)) return event;
    const replies: OutputMessage[] = JSON.parse(event.replies ?? '[]');
    const linked = replies.map((reply) => (reply.file ? { ...reply, file: toLink(reply.file) } : reply));
    return { ...event, replies: JSON.stringify(linked) };
  });
}

export const withLinkedFiles = async (view: RunView): Promise<RunView> =>
  view.events.some(mayHaveFiles) ? viewRun(view.run, await withFileLinks(view.run, view.events)) : view;

const mayHaveFiles = ({ replies = '' }: StoredEvent): boolean => replies.includes('"file":{"file":');
