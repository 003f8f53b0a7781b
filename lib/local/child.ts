// Runs a program as a child process that cannot outlive this process, not even if it is killed with SIGKILL.
import { type ChildProcess, spawn } from 'node:child_process';

export type Child = {
  /** Resolves to the output of the program when it has ended. */
  readonly ended: Promise<string>;
  readonly stop: () => Promise<void>;
};

/**
 * POSIX has no way to end a child with its parent, but a pipe has: its reader sees the end of file once the
 * parent has ended. The shell waits for the program, a watcher waits for the pipe, and the first to end ends
 * the other.
 */
const tether = `
exec 3<&0
"$0" "$@" 3<&- & program=$!
(cat <&3 >/dev/null; kill "$program" 2>/dev/null) & watcher=$!
wait "$program"; status=$?
kill "$watcher" 2>/dev/null
exit "$status"`;

export function startChild(program: string, args: readonly string[]): Child {
  // A process group of its own: Ctrl-C goes to the foreground group and must not end the engine before the
  // host.
  const child =
    process.platform === 'win32'
      ? spawn(program, args, { stdio: 'pipe' })
      : spawn('/bin/sh', ['-c', tether, program, ...args], { stdio: 'pipe', detached: true });
  const ended = watch(child);
  const kill = () => void (process.platform === 'win32' ? child.kill() : child.stdin.destroy());
  process.once('exit', kill);
  const stop = async () => {
    process.off('exit', kill);
    kill();
    await ended;
  };
  return { ended, stop };
}

function watch(child: ChildProcess): Promise<string> {
  let output = '';
  const collect = (chunk: Buffer) => {
    output = (output + chunk.toString()).slice(-4000);
  };
  child.stdout?.on('data', collect);
  child.stderr?.on('data', collect);
  child.stdin?.on('error', () => {});
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('close', () => resolve(output));
  });
}
