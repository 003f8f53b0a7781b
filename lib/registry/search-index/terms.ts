// Splits texts into the terms by which agents are found: the same steps for documents and for queries.
import { truncate } from '#lib/truncate.ts';

const segmenter = new Intl.Segmenter('en', { granularity: 'word' });
const termLengthMax = 40;

/**
 * Words in the order of the text, folded; a word that is there twice comes twice. Words of Chinese, Japanese
 * and Thai are separated too.
 */
export function extractTerms(text: string): string[] {
  const terms: string[] = [];
  for (const { segment, isWordLike } of segmenter.segment(folded(text))) {
    if (!isWordLike || stopWords.has(segment) || /^[a-z]$/.test(segment)) continue;
    terms.push(truncate(stem(segment), termLengthMax));
  }
  return terms;
}

/**
 * No case, no accents, compatibility forms as one (NFKC); `orderStatus`, `order_status` and `order-status`
 * are two words each.
 */
function folded(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .normalize('NFC')
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .replace(/[_\-./:']/g, ' ')
    .toLowerCase();
}

/**
 * The longest ending that fits is cut off, if enough is left: "translate", "translation", "translating" and
 * "translator" meet.
 */
function stem(word: string): string {
  if (!/^[a-z]{4,}$/.test(word)) return word;
  const singular = word.replace(/(ss|us|is)$|(?:(ch|sh|x|z|o)es|(i)es|s)$/, '$1$2$3');
  const ending = endings.find((each) => singular.endsWith(each) && singular.length - each.length >= 4);
  const cut = ending === undefined ? singular : singular.slice(0, -ending.length);
  return cut.replace(/([bdfglmnprst])\1$/, '$1').replace(/(?<=...)[eyi]$/, '');
}

const endings =
  'ization isation ation ator izing ising ized ised ize ise ate ating ated ion ing ment er or ed al ly'
    .split(' ')
    .sort((a, b) => b.length - a.length);

/** Stop words. */
const stopWords = new Set(
  [
    'a about all also am an and any are as at be been but by can could did do does for from get give got had has have',
    'he help her here him his how i if in into is it its just let like make may me more my need no not of on one or',
    'our out over please she should so some such than that the their them then there these they this those to too',
    'up us use used uses using want was we were what when where which while who whom why will with would you your',
  ].flatMap((line) => line.split(' ')),
);
