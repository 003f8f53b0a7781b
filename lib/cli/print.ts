// What commands print: results to stdout, everything else to stderr. Text from flows and from the service is made safe
// for terminals.
import { styleText } from 'node:util';
import { plainText } from './plain-text.ts';

export const printJson = (value: unknown): void => console.log(JSON.stringify(value, undefined, 2));

export const printLine = (text: string): void => console.log(plainText(text));

/** Such as what a command does meanwhile. */
export const note = (text: string): void =>
  console.error(styleText('dim', plainText(text), { stream: process.stderr }));
