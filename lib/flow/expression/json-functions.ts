// `$parse`: reads JSON. `$string` writes it.
import { parseExactly } from '#lib/json/big-integers.ts';
import { callError, type OwnFunctions } from './own-function.ts';
import { addSlots, countWork } from './step-budget.ts';
import { checkedSize } from './value-size.ts';

export const jsonFunctions: OwnFunctions = {
  parse: {
    signature: '<s-:x>',
    parameters: 1,
    run: ([text], { budget, occasion }) => {
      if (typeof text !== 'string') return undefined;
      countWork(budget, text.length);
      const { value, kept } = read(text);
      occasion.kept += kept;
      // Many small values take more memory than their text.
      if (typeof value === 'object' && value !== null) addSlots(budget, checkedSize(value) / charsPerSlot);
      return value;
    },
  },
};

function read(text: string) {
  try {
    return parseExactly(text);
  } catch (cause) {
    throw callError('parse', 'expected a text that is JSON', cause);
  }
}

/** Of the size of a parsed value, in which an empty object counts 8. */
const charsPerSlot = 8;
