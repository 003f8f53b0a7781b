// `code`: computes a value in JavaScript, without side effects.
import * as z from 'zod';
import { lazy, lazyModule } from '#lib/lazy.ts';
import { limits } from '../format/limits.ts';
import { everyNode, json, onward } from '../format/node-fields.ts';
import type { NodeChecks, NodeType } from './node-type.ts';
import { prepareLater } from './prepare-later.ts';

/** Loaded only for flows that have one. */
export const codeCalls = lazyModule(() => import('./run-code.ts'));

export const codeSchema = /* @__PURE__ */ lazy(() =>
  z
    .strictObject({
      type: z.literal('code'),
      ...everyNode(),
      ...onward(),
      code: z
        .string()
        .min(1)
        .max(limits.codeChars)
        .meta({
          description: 'Body of a JavaScript function of `input`, which returns the output. No templates.',
          examples: ['return input.items.filter((item) => item.price > 10);'],
        }),
      input: json()
        .optional()
        .meta({ description: 'What the code sees as `input`: any JSON value with templates.', default: {} }),
      timeout_ms: z.int().min(1).max(limits.codeTimeoutMsMax).optional().meta({
        description: 'How long the code may take, counted in steps of the interpreter.',
        default: limits.codeTimeoutMsDefault,
      }),
    })
    .meta({ description: 'Computes a value in JavaScript, without side effects.' }),
);

type CodeNode = z.infer<ReturnType<typeof codeSchema>>;

export const code: NodeType<CodeNode> = {
  templates: ['input'],
  prepare: prepareLater(codeCalls),
};

export const codeChecks: NodeChecks<CodeNode> = {
  check: (node, { findSyntaxMistake }, report) => {
    const mistake = findSyntaxMistake(node.code);
    if (mistake === undefined) return;
    const cure = node.code.includes('{{') ? '; it has no templates, pass values through `input`' : '';
    report(['code'], `expected JavaScript: ${mistake}${cure}`);
  },
};
