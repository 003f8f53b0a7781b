// Notices that the shell has ended in which npm runs a script. npm sends a signal to that shell alone, so `kill` of
// `npm start` would leave the program behind.

const intervalMs = 250;

/** When the program starts: its parent may end before anybody asks. */
const parent = process.ppid;

/** On Windows a program does not see the end of its parent. */
export function onParentEnd(end: () => void): void {
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    end();
  }, intervalMs);
  timer.unref();
}
