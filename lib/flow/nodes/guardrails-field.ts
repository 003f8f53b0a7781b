// The field `guardrails` of `llm` and `agent` nodes: what is checked before a text reaches the model, and before an
// answer leaves the node.
import * as z from 'zod';
import { flowid } from '#lib/ids.ts';
import { lazy } from '#lib/lazy.ts';
import { detections } from '../format/detection.ts';
import { limits } from '../format/limits.ts';
import { apart, type FieldRule, named, needs, ruled } from '../format/notes.ts';
import type { CheckSurroundings, Report } from './node-type.ts';

const check = /* @__PURE__ */ lazy(() =>
  ruled(
    z
      .strictObject({
        pattern: z
          .string()
          .min(1)
          .max(limits.guardrailPatternChars)
          .optional()
          .meta({
            description:
              'Regular expression (RE2) that is searched for in the text. Either this, `detect` or `flow`.',
            examples: ['(?i)internal use only'],
          }),
        detect: z
          .enum(detections)
          .optional()
          .meta({
            description: 'Kind of text that is searched for, in place of `pattern`.',
            examples: ['payment_card'],
          }),
        action: z.enum(['block', 'redact']).optional().meta({
          description: 'Whether a match of `pattern` or `detect` fails the node, or is replaced in the text.',
          default: 'block',
        }),
        replacement: z
          .string()
          .max(limits.guardrailReplacementChars)
          .optional()
          .meta({ description: 'What replaces each match with `action: redact`.', default: '[redacted]' }),
        flow: flowid.optional().meta({
          description:
            'A flow of the workspace that gets the text as its message, and answers `{allowed, reason?, text?}`; literal.',
          examples: ['moderation'],
        }),
        message: z
          .string()
          .min(1)
          .max(limits.guardrailMessageChars)
          .optional()
          .meta({ description: 'Message of the error if the check blocks the text; literal.' }),
      })
      .meta({ title: 'Check of a text', description: 'A pattern or a flow that a text must pass.' }),
    [
      oneCheck,
      apart(['action', 'flow'], undefined, 'expected no `action` together with `flow`'),
      apart(['replacement', 'flow'], undefined, 'expected no `replacement` together with `flow`'),
      messageRule(),
      ...replacementRules(),
    ],
    'guardrail_check',
  ),
);

const oneCheck: FieldRule = {
  kind: 'exactlyOne',
  names: ['pattern', 'detect', 'flow'],
  detail: 'expected one of `pattern`, `detect` and `flow`',
  at: [],
};

const messageRule = () =>
  apart(
    ['message', 'action'],
    { action: ['redact'] },
    'expected no `message` together with `action: redact`, which fails nothing',
  );

/** Who writes a `replacement` means to redact; without the action, the check would block instead. */
const replacementRules = () => {
  const detail = 'expected `action: redact` beside `replacement`: a check that blocks replaces nothing';
  return [
    needs('replacement', 'action', ['replacement'], detail),
    apart(['replacement', 'action'], { action: ['block'] }, detail),
  ];
};

const checks = () => z.array(check()).min(1).max(limits.guardrailChecksMax).optional();

export const guardrailsField = /* @__PURE__ */ lazy(() =>
  named(
    'guardrails',
    z
      .strictObject({
        input: checks().meta({
          description: 'Checks of the texts that go to the model: the prompt, or each of the messages.',
        }),
        output: checks().meta({
          description: 'Checks of the answer; the node streams nothing before it has passed them.',
        }),
      })
      .meta({ title: 'Guardrails', description: 'Checks of the texts to and from the model, in order.' }),
  )
    .optional()
    .meta({ description: 'Checks of what goes to the model and of what it answers, as patterns or flows.' }),
);

export type GuardrailFields = NonNullable<z.infer<ReturnType<typeof guardrailsField>>>;
export type CheckFields = NonNullable<GuardrailFields['input']>[number];

interface Guarded {
  readonly guardrails?: GuardrailFields | undefined;
}

/** The flows that it calls. A run may pause in them. */
export const listGuardFlows = (guarded: Guarded): readonly string[] =>
  findGuardFlows(guarded).map(({ flowid }) => flowid);

/** The same with their paths in the node. */
export const findGuardFlows = ({ guardrails }: Guarded) =>
  (['input', 'output'] as const).flatMap((side) =>
    (guardrails?.[side] ?? []).flatMap(({ flow: flowid }, index) =>
      flowid === undefined ? [] : { flowid, path: ['guardrails', side, index, 'flow'] },
    ),
  );

export function checkGuardrails({ guardrails }: Guarded, around: CheckSurroundings, report: Report): void {
  for (const side of ['input', 'output'] as const)
    for (const [index, { pattern }] of (guardrails?.[side] ?? []).entries())
      for (const { detail } of pattern === undefined ? [] : around.schemaProblems({ pattern }))
        report(['guardrails', side, index, 'pattern'], detail);
}
