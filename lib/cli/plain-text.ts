// Makes text of flows, models and hosts safe for a terminal: removes control sequences and invisible
// characters.
import { stripVTControlCharacters } from 'node:util';

export const plainText = (text: string): string =>
  stripVTControlCharacters(text.toWellFormed()).replace(/[^\P{Cc}\n\t]|\p{Cf}/gu, '\u{fffd}');
