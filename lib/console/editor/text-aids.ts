// What helps while somebody works in the text of a flow: completions, closing brackets, and the search. It is a chunk of
// its own, which is loaded when the field gets the focus or the pointer.
import {
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
  startCompletion,
} from '@codemirror/autocomplete';
import { openSearchPanel, search, searchKeymap } from '@codemirror/search';
import type { Extension } from '@codemirror/state';
import { keymap } from '@codemirror/view';
import { completeFlow } from './completions.ts';
import type { Schema } from './schema-keys.ts';

/** What keys ask for before it is loaded. */
export const commands = { openSearchPanel, startCompletion };

export const textAids = (getSchema: () => Promise<Schema>): Extension => [
  autocompletion({ override: [completeFlow(getSchema)] }),
  closeBrackets(),
  search({ top: true }),
  keymap.of([...closeBracketsKeymap, ...searchKeymap, ...completionKeymap]),
];
