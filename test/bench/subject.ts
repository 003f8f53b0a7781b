// A subject of the bench in a separate process: it reports when it is ready, answers questions by name, and
// ends when it is disposed of.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

interface SubjectOptions {
  readonly args?: readonly string[];
  /** Beside what this process has. */
  readonly environment?: Readonly<Record<string, string>>;
}

export interface Subject extends AsyncDisposable {
  /** Its first message. */
  readonly ready: unknown;
  readonly ask: (question: string) => Promise<unknown>;
}

export async function startSubject(script: URL, options: SubjectOptions = {}): Promise<Subject> {
  const child = fork(fileURLToPath(script), options.args ?? [], {
    env: { ...process.env, ...options.environment },
    // It logs as it does on AWS, and nobody reads it.
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    execArgv: ['--disable-warning=ExperimentalWarning'],
  });
  const exited = once(child, 'exit').then(([code]) => {
    throw new Error(`${script.pathname} ended with exit code ${code}; its reason is above.`);
  });
  exited.catch(() => {});
  const receive = async (): Promise<unknown> => (await Promise.race([once(child, 'message'), exited]))[0];
  return {
    ready: await receive(),
    ask: async (question) => {
      child.send(question);
      return await receive();
    },
    [Symbol.asyncDispose]: async () => {
      const ended = once(child, 'exit');
      child.disconnect();
      await ended;
    },
  };
}
