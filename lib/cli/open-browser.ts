// Opens an address in the browser of the person. Whether that works is not known: the address is printed, too.
import { spawn } from 'node:child_process';

const programs: Readonly<Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>>> = {
  darwin: ['open'],
  // The title comes first where it is in quotes.
  win32: ['cmd', '/c', 'start', ''],
};

export function openBrowser(address: string): void {
  const [program, ...args] = programs[process.platform] ?? ['xdg-open'];
  const given = process.platform === 'win32' ? address.replaceAll('&', '^&') : address;
  const child = spawn(program, [...args, given], { stdio: 'ignore', detached: true });
  child.on('error', () => {});
  child.unref();
}
