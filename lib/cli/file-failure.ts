// Why a file cannot be read or written, in words.

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EISDIR: 'it is a folder',
  ENOENT: 'there is no such file or folder',
  ENOSPC: 'the disk is full',
  ENOTDIR: 'a part of its path is no folder',
  EROFS: 'the disk is read-only',
};

export function fileFailure(file: string, action: 'read' | 'written', error: unknown): Error {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
  return new Error(`${file} cannot be ${action}: ${reasons[code] ?? code}.`, { cause: error });
}
