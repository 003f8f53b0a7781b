// Prints the steps of the demo.
import { styleText } from 'node:util';
import { type Task, TaskState } from '@a2a-js/sdk';
import type { RunState } from '#lib/run/result.ts';
import { truncate } from '#lib/truncate.ts';

export const question = 'Where is my order 1042?';

export const step = (number: number, title: string) =>
  console.log(`\n${styleText('bold', `${number}. ${title}`)}`);
export const sent = (request: string) => console.log(styleText('cyan', `   → ${request}`));
export const received = (status: number) => console.log(styleText('green', `   ← ${status}`));

export function showTask(task: Task): void {
  line(`task ${task.id} ${stateName(task.status?.state)}`);
  for (const artifact of task.artifacts) line(`artifact "${joinText(artifact.parts)}"`);
}

export function showRun({
  workflow_id,
  status,
  response,
  error,
  logs,
}: Pick<RunState, 'workflow_id' | 'status' | 'response' | 'error' | 'logs'>): void {
  show('run', { workflow_id, status, response, error });
  for (const entry of logs) line(styleText('dim', `${String(entry.seq).padStart(3)} ${entry.message}`));
}

/** Text as it is, data as JSON. */
export const joinText = (parts: Task['artifacts'][number]['parts']) =>
  parts
    .flatMap(({ content }) => {
      if (content?.$case === 'text') return [content.value];
      return content?.$case === 'data' ? [JSON.stringify(content.value)] : [];
    })
    .join(' ');
export const stateName = (state: TaskState | undefined) =>
  TaskState[state ?? TaskState.TASK_STATE_UNSPECIFIED];
export const line = (text: string) => console.log(`     ${text}`);
export function show(label: string, value: object): void {
  const text = JSON.stringify(value);
  line(`${label} ${text.length > 400 ? `${truncate(text, 400)}… (${text.length} characters)` : text}`);
}
