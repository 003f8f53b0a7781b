// Types for the code of a `code` node (docs/flows/code.md), which is the body of such a function:
//
//     /// <reference path="./code-node.d.ts" />
//     /** @type {Code<{ rows: { price: number }[] }>} */
//     export default (input) => {
//       return { count: input.rows.length };
//     };

/** `input` is that of the node, with its templates evaluated. */
type Code<Input> = (input: Input) => CodeOutput;

/** What `JSON.stringify` writes without losing anything but fields that are undefined. */
type CodeOutput =
  | string
  | number
  | boolean
  | null
  | Date
  | readonly CodeOutput[]
  | { readonly [field: string]: CodeOutput | undefined };
