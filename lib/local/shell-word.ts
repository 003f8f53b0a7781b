/** A text as one word of a POSIX shell; unchanged where the shell takes it as it is. */
export const shellWord = (text: string): string =>
  /^[\w./:@-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
