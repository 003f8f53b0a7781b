// Finds texts of a kind that has a name, such as payment card numbers. The patterns are our own, and the native engine
// takes linear time for each: a match begins at a boundary, and is bounded or begins where no other one does. Loaded for
// flows with guardrails.
import type { Detection } from '../format/detection.ts';

export interface Span {
  readonly from: number;
  readonly to: number;
}

/** In order, without overlaps. */
export function* detect(kind: Detection, text: string): Generator<Span> {
  const { pattern, isValid } = kinds[kind];
  const search = new RegExp(pattern);
  for (let match = search.exec(text); match; match = search.exec(text)) {
    const from = match.index;
    const length = isValid ? measure(match[0], isValid) : match[0].length;
    // What is not valid may hide one that begins later.
    search.lastIndex = from + (length ?? 1);
    if (length !== undefined) yield { from, to: from + length };
  }
}

interface Kind {
  readonly pattern: RegExp;
  /** Of the characters without what separates them. The pattern takes as many groups as there can be. */
  readonly isValid?: (characters: string) => boolean;
}

const kinds: Readonly<Record<Detection, Kind>> = {
  email: {
    pattern:
      /(?<![\p{L}\p{N}._%+-])[\p{L}\p{N}._%+-]+@(?:[\p{L}\p{N}-]{1,63}\.){1,16}\p{L}[\p{L}\p{N}-]{1,62}/gu,
  },
  /** ISO/IEC 7812: 13 to 19 digits of a payment network, the last of which is the check digit of Luhn. */
  payment_card: {
    pattern: /(?<![\p{L}\p{N}])[2-6](?:[ \u00a0-]?\d){12,18}(?![\p{L}\p{N}])/gu,
    isValid: (digits) => digits.length >= 13 && isLuhn(digits),
  },
  /** ISO 13616: country, check digits, and the account of up to 30 characters. */
  iban: {
    pattern: /(?<![\p{L}\p{N}])[A-Za-z]{2}\d{2}(?:[ \u00a0-]?[A-Za-z0-9]){11,30}(?![\p{L}\p{N}])/gu,
    isValid: (characters) => characters.length >= 15 && hasIbanCheck(characters),
  },
  aws_access_key_id: { pattern: /(?<![A-Za-z0-9])A[KS]IA[A-Z0-9]{16}(?![A-Za-z0-9])/g },
  /** Of PEM and of PGP, to the end of the text if the block does not end. */
  private_key: {
    pattern:
      /-----BEGIN (?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----(?:[\s\S]*?-----END (?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----|[\s\S]*)/g,
  },
};

/** The longest beginning of the candidate that is valid and ends with a group. */
function measure(candidate: string, isValid: (characters: string) => boolean): number | undefined {
  let length = candidate.length;
  while (length > 0) {
    const characters = candidate.slice(0, length).replace(/[^A-Za-z0-9]/g, '');
    if (isValid(characters)) return length;
    length = candidate.slice(0, length).search(/[^A-Za-z0-9][A-Za-z0-9]*$/);
  }
  return undefined;
}

function isLuhn(digits: string): boolean {
  let sum = 0;
  for (let n = 0; n < digits.length; n++) {
    const digit = Number(digits[digits.length - 1 - n]);
    const counted = n % 2 === 0 ? digit : digit * 2;
    sum += counted > 9 ? counted - 9 : counted;
  }
  return sum % 10 === 0;
}

/** ISO 7064 MOD 97-10: the beginning moves to the end, and letters count from A = 10. */
function hasIbanCheck(characters: string): boolean {
  let rest = 0;
  for (const character of characters.slice(4) + characters.slice(0, 4)) {
    const value = Number.parseInt(character, 36);
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97;
  }
  return rest === 1;
}
