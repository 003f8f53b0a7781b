// Checks before the functions of JSONata that take a picture of a number: the library allocates what a picture
// says, and loops without end for some options.
import { isObject } from '../format/json-value.ts';
import { callError } from './own-function.ts';

const pictureCharsMax = 100;
const textCharsMax = 500;
/** Of a number in words or Roman numerals. */
const integerMax = 1e15;
const romanMax = 100_000;
/** Without an exponent: above 1e21, of which a picture of per mille leaves this, the library writes one all the same. */
const plainMax = 1e18;

export function checkFormatNumber([value, picture, options]: readonly unknown[]): void {
  checkPicture('formatNumber', picture);
  checkFinite('formatNumber', value, hasExponent(picture, options) ? Number.MAX_VALUE : plainMax);
  for (const [name, sign] of isObject(options) ? Object.entries(options) : [])
    if (typeof sign !== 'string' || !fits(name, sign))
      throw callError('formatNumber', `expected one character as the option "${name}"`);
}

/** A picture such as `0.0e0` scales the number before it is written. */
function hasExponent(picture: unknown, options: unknown): boolean {
  const own = isObject(options) ? options['exponent-separator'] : undefined;
  const [, ...rest] = String(picture).split(typeof own === 'string' ? own : 'e');
  return rest.some((part) => /^\d/.test(part));
}

/** Only these are printed as they are. */
const fits = (name: string, sign: string) =>
  ['infinity', 'NaN'].includes(name) ? sign.length <= 20 : sign.length === 1;

export function checkFormatInteger([value, picture]: readonly unknown[]): void {
  checkPicture('formatInteger', picture);
  const isRoman = typeof picture === 'string' && /^i/i.test(picture);
  checkFinite('formatInteger', value, isRoman ? romanMax : integerMax);
}

export function checkParseInteger([text, picture]: readonly unknown[]): void {
  checkPicture('parseInteger', picture);
  if (typeof text === 'string' && text.length > textCharsMax)
    throw callError('parseInteger', `expected a text of at most ${textCharsMax} characters`);
}

function checkPicture(name: string, picture: unknown): void {
  if (typeof picture === 'string' && picture.length > pictureCharsMax)
    throw callError(name, `expected a picture of at most ${pictureCharsMax} characters`);
}

function checkFinite(name: string, value: unknown, max: number): void {
  if (typeof value === 'number' && !(Math.abs(value) <= max))
    throw callError(name, `expected a number up to ${max}`);
}
