// Checks the texts to and from a model, one check after the other: each sees what the one before has left. Loaded with
// the first flow that has guardrails.
import { computeDigest } from '#lib/digest.ts';
import type { Json } from '#lib/json/json.ts';
import { truncate } from '#lib/truncate.ts';
import type { NodeContext } from '../engine/node-context.ts';
import { findMatches } from '../expression/search-text.ts';
import { isObject } from '../format/json-value.ts';
import { limits } from '../format/limits.ts';
import { NodeError } from '../format/node-error.ts';
import { callFlow } from './called-flow.ts';
import type { Guarding, PassText, Side } from './guarding.ts';
import type { CheckFields, GuardrailFields } from './guardrails-field.ts';

export const prepareChecks =
  (fields: GuardrailFields): PassText =>
  async (side, text, guarding) => {
    let passed: string | undefined = text;
    for (const [index, check] of (fields[side] ?? []).entries()) {
      passed = await passCheck({ ...check, side, index }, passed, guarding);
      if (passed === undefined) return undefined;
    }
    return passed;
  };

interface Check extends CheckFields {
  readonly side: Side;
  readonly index: number;
}

async function passCheck(check: Check, text: string, guarding: Guarding): Promise<string | undefined> {
  const { flow } = check;
  return flow === undefined
    ? await passSearch(check, text, guarding.context)
    : await passFlow(check, flow, text, guarding);
}

async function passSearch(check: Check, text: string, context: NodeContext): Promise<string> {
  const { pattern, detect: detection } = check;
  const source = pattern ?? detection ?? '';
  const redacts = check.action === 'redact';
  const replacement = redacts ? (check.replacement ?? '[redacted]') : undefined;
  await context.at.pace();
  const found = await findMatches({ source, detection, text, ...(redacts && { replacement }) }, context.at);
  if (found.matches === 0) return text;
  if (!redacts) throw blocked(check);
  const matches = found.matches === 1 ? '1 match' : `${found.matches} matches`;
  context.note({ event: 'guardrail', message: `${nameCheck(check)} redacted ${matches}` });
  return found.text;
}

/**
 * The name of the call has a digest of the text: what a flow has said about one text is never taken for another, such as
 * a second answer of the model after a pause.
 */
async function passFlow(
  check: Check,
  flowid: string,
  text: string,
  { context, prefix, recall }: Guarding,
): Promise<string | undefined> {
  const { side, index } = check;
  const digest = computeDigest('sha256', text).toString('hex').slice(0, 16);
  const name = `${prefix}${side}_${index}_${digest}`;
  const user_variables = { side, node_id: context.nodeId };
  const ended = context.ended(name);
  const end =
    ended?.status === 'completed'
      ? ended
      : await callFlow(
          context,
          { name, flowid, message: text, user_variables, isStreamed: false, isQuiet: true },
          recall(name),
        );
  if (end.status === 'failed') {
    const { code, message, cause } = end.error;
    throw new NodeError(code, `${nameCheck(check)}: ${message}`, { cause });
  }
  if (end.status !== 'completed') return undefined;
  return readVerdict(check, flowid, end.output) ?? text;
}

/** The text that replaces the one that was checked, if the flow gives one. */
function readVerdict(check: Check, flowid: string, output: Json): string | undefined {
  const { allowed, reason, text } = isObject(output) ? output : {};
  const hasText = text === undefined || text === null || typeof text === 'string';
  if (typeof allowed !== 'boolean' || !hasText)
    throw new NodeError(
      'guardrail.bad_answer',
      `${nameCheck(check)}: expected the flow "${flowid}" to answer {"allowed": true} or {"allowed": false}, perhaps with "reason" and "text" as texts.`,
    );
  if (!allowed) throw blocked(check, typeof reason === 'string' ? reason : undefined);
  if (typeof text !== 'string') return undefined;
  return text;
}

/** Never quotes the text. */
function blocked(check: Check, reason?: string): NodeError {
  const why = check.message ?? (reason && truncate(reason, limits.guardrailMessageChars));
  return new NodeError(
    'guardrail.blocked',
    `${nameCheck(check)} blocked the ${check.side}${why ? `: ${why}` : '.'}`,
  );
}

const nameCheck = ({ side, index }: Check) => `guardrails.${side}[${index}]`;
