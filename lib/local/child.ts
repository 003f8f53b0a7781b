// Runs a program as a child that cannot outlive this process, not even when this process is killed with SIGKILL.
import { type ChildProcess, spawn } from 'node:child_process';

export type Child = {
  /** Resolves when the program has ended, with what it said on its way. */
  readonly ended: Promise<string>;
  readonly stop: () => Promise<void>;
};

/**
 * POSIX offers no "die with my parent", but a pipe does: its reading end sees the end of file once the parent is gone, however it
 * went. The shell waits for the program, a watcher in it for the pipe, and whichever comes first ends the other.
 */
const tether = `
exec 3<&0
"$0" "$@" 3<&- & program=$!
(cat <&3 >/dev/null; kill "$program" 2>/dev/null) & watcher=$!
wait "$program"; status=$?
kill "$watcher" 2>/dev/null
exit "$status"`;

export function startChild(program: string, args: readonly string[]): Child {
  // Its own process group: Ctrl-C goes to the whole foreground group, and must not take the engine before the host has closed.
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
  let said = '';
  const listenTo = (chunk: Buffer) => {
    said = (said + chunk.toString()).slice(-4000);
  };
  child.stdout?.on('data', listenTo);
  child.stderr?.on('data', listenTo);
  child.stdin?.on('error', () => {});
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('close', () => resolve(said));
  });
}
