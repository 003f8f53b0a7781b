// The field `files` of `llm` and `agent` nodes: images and documents that the model receives with a message.
import { lazy } from '#lib/lazy.ts';
import { isList } from '../format/json-value.ts';
import { limits } from '../format/limits.ts';
import { json } from '../format/node-fields.ts';
import { narrowed } from '../format/notes.ts';
import { expressionText, isOneExpression } from './expression-field.ts';

export const filesField = /* @__PURE__ */ lazy(() =>
  narrowed(
    json(),
    (files) => isList(files) || isOneExpression(files),
    'expected a list, or one expression that gives a list of files',
    { anyOf: [{ type: 'array' }, expressionText] },
  )
    .optional()
    .meta({
      description: `Files that the model receives with the message: one expression that gives a list, or a list with templates; at most ${limits.filesMax}.`,
      examples: ['{{ input.files }}'],
    }),
);
