// Reads the built files of the console: from the folder beside the function, where the build puts them, or from that of
// `CONSOLE_FILES`, where the local host has built them.
import { readFile } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';

export interface ConsoleFile {
  readonly bytes: Buffer;
  readonly contentType: string;
  readonly encoding?: string;
}

const contentTypes: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  txt: 'text/plain; charset=utf-8',
};

/** In the order of preference, with the endings of the compressed files. */
const encodings = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const;

/** Undefined for a file that the console does not have. `accepted` is `Accept-Encoding` (RFC 9110 §12.5.3). */
export async function readConsoleFile(
  name: string,
  accepted: string | undefined,
): Promise<ConsoleFile | undefined> {
  const contentType = contentTypes[name.slice(name.lastIndexOf('.') + 1)];
  if (contentType === undefined) return undefined;
  for (const [encoding, ending] of encodings) {
    const bytes = accepts(accepted, encoding) ? await read(`${name}${ending}`) : undefined;
    if (bytes) return { bytes, contentType, encoding };
  }
  const bytes = await read(name);
  return bytes && { bytes, contentType };
}

const accepts = (accepted = '', encoding: string): boolean =>
  accepted.split(',').some((each) => {
    const [coding = '', ...weights] = each.toLowerCase().split(';');
    return coding.trim() === encoding && !weights.some((weight) => /^\s*q=0(\.0*)?\s*$/.test(weight));
  });

/** Files of one process never change. */
const known = new Map<string, Buffer>();

async function read(name: string): Promise<Buffer | undefined> {
  const { href } = new URL(name, folder());
  const kept = known.get(href);
  if (kept) return kept;
  const bytes = await readFile(new URL(href)).catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (bytes) known.set(href, bytes);
  return bytes;
}

const folder = (): URL => {
  const { CONSOLE_FILES } = process.env;
  return CONSOLE_FILES ? pathToFileURL(`${CONSOLE_FILES}/`) : new URL('./files/', import.meta.url);
};
