// Clients that are programs: each runs with its own files in a folder, and opens no browser.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';
import { retry } from '#lib/retry.ts';
import { type WatchedProcess, watchProcess } from '#test/support/watched-process.ts';
import { allow } from './person.ts';

const manifest = z.object({ bin: z.record(z.string(), z.string()) });

/** The file of a program, by the URL of the `package.json` of its package. */
export function findProgram(manifestUrl: string, name: string): string {
  const { bin } = manifest.parse(JSON.parse(readFileSync(new URL(manifestUrl), 'utf8')));
  return fileURLToPath(new URL(bin[name] ?? '', manifestUrl));
}

/** The environment of a client. The programs that would open a browser do nothing. */
export async function newEnvironment(folder: string): Promise<Record<string, string>> {
  const stubs = join(folder, 'bin');
  await mkdir(stubs, { recursive: true });
  for (const name of ['open', 'xdg-open']) {
    await writeFile(join(stubs, name), '#!/bin/sh\nexit 0\n');
    await chmod(join(stubs, name), 0o755);
  }
  const { PATH = '' } = process.env;
  return {
    PATH: [stubs, PATH].join(delimiter),
    HOME: folder,
    BROWSER: 'true',
    // Without a terminal, it signs in only if it opens the page.
    MCP_AUTO_OPEN_ENABLED: 'true',
    MCP_INSPECTOR_SECRET_STORE: 'file',
    MCP_REMOTE_CONFIG_DIR: join(folder, 'mcp-remote'),
    MCP_STORAGE_DIR: join(folder, 'inspector'),
    NO_COLOR: '1',
  };
}

const started = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of started) child.kill('SIGKILL');
});

export const startProgram = (
  file: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): WatchedProcess => {
  const child = spawn(process.execPath, [file, ...args], { env, stdio: ['pipe', 'pipe', 'pipe'] });
  started.add(child);
  return watchProcess(child, file);
};

/** Waits for the address that a client prints, allows it, and goes to where the browser is sent: the client itself. */
export async function allowPrinted(stderr: Readable): Promise<void> {
  let printed = '';
  const collect = (chunk: Buffer) => {
    printed += chunk;
  };
  stderr.on('data', collect);
  const address = () => /(https?:\/\/\S+\/oauth\/authorize\?\S+)\s/.exec(printed)?.[1];
  while (address() === undefined) {
    if (stderr.readableEnded) throw new Error(`The client prints no address to sign in:\n${printed}`);
    await Promise.race([once(stderr, 'data'), once(stderr, 'end')]);
  }
  stderr.off('data', collect);
  stderr.resume();
  const landed = await land(await allow(address() ?? ''));
  if (!landed.ok)
    throw new Error(`The client answers its redirect with ${landed.status}: ${await landed.text()}`);
}

/** Some 20 seconds on average. */
const listening = { triesMax: 45, pauseMs: 50, pauseMsMax: 1_000 };

/**
 * Requests the redirect URI of a client. A client may begin to listen there only after it has printed where to sign in:
 * mcp-remote does. People are slower than that, but this program is not, so it tries again while nobody listens.
 */
export async function land(redirectUri: URL): Promise<Response> {
  const landed = await retry(async () => {
    try {
      return await fetch(redirectUri);
    } catch (error) {
      if (!isRefused(error)) throw error;
      return undefined;
    }
  }, listening);
  if (landed) return landed;
  throw new Error(`The client does not listen at ${redirectUri.origin}.`);
}

const isRefused = (error: unknown): boolean =>
  error instanceof Error &&
  error.cause instanceof Error &&
  'code' in error.cause &&
  error.cause.code === 'ECONNREFUSED';
