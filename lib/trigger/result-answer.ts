// The answer to an event that has the result of its run: the output as JSON, or what the output says about the
// answer in `webhook_response`. A flow chooses the status, one of four content types and the body, and nothing
// else of the response.
import * as z from 'zod';
import { ServiceError } from '#lib/errors.ts';
import type { Answer } from '#lib/http/answer.ts';
import { jsonObject } from '#lib/json/json.ts';
import type { SourceType } from '#lib/webhook-source/source.ts';
import { describeIssues } from '#lib/zod-messages.ts';

/**
 * Lambda takes 6 MB, in which the body is a text in JSON: a control character has six bytes there. Larger
 * results are at the address in `Location`.
 */
const answerBytesMax = 900_000;

const statusExpected = 'must be a number from 200 to 299 or from 400 to 499';
const textTypes = ['text/plain', 'text/xml', 'application/xml'] as const;

const isTextType = (type: string | undefined): boolean => textTypes.some((textType) => textType === type);

/** No content type that a browser would show as a page. */
const shapedAnswer = z
  .strictObject({
    status: z
      .int(statusExpected)
      .refine((status) => Math.floor(status / 100) === 2 || Math.floor(status / 100) === 4, statusExpected)
      .default(200),
    content_type: z.enum(['application/json', ...textTypes]).optional(),
    body: z.json().optional(),
  })
  .refine(
    ({ content_type, body }) => !isTextType(content_type) || body === undefined || typeof body === 'string',
    { path: ['body'], message: 'must be a text, as `content_type` is not application/json' },
  );
type ShapedAnswer = z.infer<typeof shapedAnswer>;

export interface AnsweredRun {
  readonly runId: string;
  readonly source?: SourceType;
}

/**
 * `response` is JSON. Undefined where the sender cannot read the output: Twilio wants TwiML, and anybody gets a
 * large output elsewhere.
 */
export function formatResult(response: string, answered: AnsweredRun): Answer<never> | undefined {
  const { webhook_response: shaped } = jsonObject.parse(JSON.parse(response));
  if (shaped === undefined && answered.source === 'twilio') return undefined;
  const answer =
    shaped === undefined
      ? { status: 200, contentType: 'application/json', text: response }
      : formatShaped(parseShaped(shaped, answered));
  return Buffer.byteLength(answer.text) > answerBytesMax ? undefined : { ...answer, headers: sandboxed };
}

/** A browser that shows the answer after all runs no script in it. */
const sandboxed = { 'content-security-policy': "default-src 'none'; sandbox" };

function parseShaped(shaped: unknown, { runId }: AnsweredRun): ShapedAnswer {
  const { data, error } = shapedAnswer.safeParse(shaped);
  if (data) return data;
  const [mistake] = describeIssues(error.issues);
  const where = ['webhook_response', ...(mistake?.path ?? [])].join('.');
  throw new ServiceError('run_failed', {
    detail: `The run ${runId} has an output that is no answer: \`${where}\` ${mistake?.detail ?? 'is not valid'}.`,
  });
}

/** Without a content type, a text is sent as it is, and everything else as JSON. */
function formatShaped({ status, content_type, body }: ShapedAnswer) {
  const isText = content_type === undefined ? typeof body === 'string' : isTextType(content_type);
  const type = content_type ?? (isText ? 'text/plain' : 'application/json');
  // RFC 9110, §15.3.5 and §15.3.6: neither has content.
  const hasBody = body !== undefined && status !== 204 && status !== 205;
  const text = hasBody ? (isText ? String(body) : JSON.stringify(body)) : '';
  return { status, contentType: isText ? `${type}; charset=utf-8` : type, text };
}
