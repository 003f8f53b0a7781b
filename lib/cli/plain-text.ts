// Text of flows, models and hosts on its way to a terminal: nothing in it may steer the terminal or hide what is there.
import { stripVTControlCharacters } from 'node:util';

export const plainText = (text: string): string =>
  stripVTControlCharacters(text.toWellFormed()).replace(/[^\P{Cc}\n\t]|\p{Cf}/gu, '\u{fffd}');
