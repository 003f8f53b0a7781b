// Whether two answers to one command say the same. Left out is only what AWS itself leaves open:
// - the texts of errors, and of the reasons for which a transaction was canceled (their codes and items
//    count),
// - consumed capacity and the metrics of item collections, which no rule of ours reads,
// - whether the last page of a query, when it took its limit, says that there may be more (a generated
//    history then asks for more),
// - whether a page of a query that reached 1 MB has one item more,
// - how a number is written (1e-9 is 0.000000001),
// - the order of sets, and of what a batch returns.
import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import type { Answer, Command } from './engines.ts';

/** Undefined when they do; else both, for a person to read. */
export function findDifference(command: Command, dynoxide: Answer, local: Answer): string | undefined {
  const answers = commonPart(command, [dynoxide, local]);
  const [one, other] = answers.map((answer) => normalise(command.operation, answer));
  if (isDeepStrictEqual(one, other)) return undefined;
  return [
    shortened(`${command.operation} ${JSON.stringify(command.command)}`),
    shortened(`  dynoxide:       ${formatAnswer(dynoxide)}`),
    shortened(`  DynamoDB Local: ${formatAnswer(local)}`),
  ].join('\n');
}

const formatAnswer = ({ status, body }: Answer) => `${status} ${JSON.stringify(body)}`;
const shortened = (line: string) => (line.length > 2_000 ? `${line.slice(0, 2_000)}…` : line);

const page = z.looseObject({
  Items: z.array(z.unknown()).default([]),
  Count: z.number(),
  ScannedCount: z.number(),
  LastEvaluatedKey: z.unknown().optional(),
});

/** What two pages of a query have in common where AWS leaves open how they end. */
function commonPart({ command }: Command, answers: readonly [Answer, Answer]): readonly Answer[] {
  const pages = answers.map(({ body }) => page.safeParse(body).data);
  const [one, other] = pages;
  const keys = pages.filter((each) => each?.LastEvaluatedKey !== undefined).length;
  if (!one || !other || keys === 0) return answers;
  const isFull = [one, other].every(({ ScannedCount }) => ScannedCount === command.Limit);
  if (isFull && keys === 2) return answers;
  const counts = isFull ? [] : ['Count', 'ScannedCount'];
  const length = Math.min(one.Items.length, other.Items.length);
  if (Math.max(one.Items.length, other.Items.length) - length > 1) return answers;
  return answers.map(({ status, body }) => ({
    status,
    body: {
      ...without(body, ['LastEvaluatedKey', ...counts]),
      Items: page.parse(body).Items.slice(0, length),
    },
  }));
}

const without = (body: Answer['body'], names: readonly string[]) =>
  Object.fromEntries(Object.entries(body).filter(([name]) => !names.includes(name)));

function normalise(operation: string, { status, body }: Answer): unknown {
  if (status >= 400) return { status, ...readError(body) };
  const compared = without(body, ['ConsumedCapacity', 'ItemCollectionMetrics']);
  return { status, said: settled(inAnyOrder(operation, compared)) };
}

const failure = z.object({
  __type: z.string(),
  Item: z.unknown().optional(),
  CancellationReasons: z.array(z.object({ Code: z.string(), Item: z.unknown().optional() })).optional(),
});

function readError(body: unknown) {
  const { __type, Item, CancellationReasons } = failure.parse(body);
  return {
    code: __type.replace(/^.*#/, ''),
    item: settled(Item),
    reasons: CancellationReasons?.map((reason) => ({ code: reason.Code, item: settled(reason.Item) })),
  };
}

const items = z.array(z.unknown());

function inAnyOrder(operation: string, compared: Readonly<Record<string, unknown>>): unknown {
  if (operation !== 'BatchGetItem') return compared;
  const byTable = Object.entries(z.record(z.string(), items).parse(compared.Responses ?? {}));
  return {
    ...compared,
    Responses: Object.fromEntries(byTable.map(([table, some]) => [table, sorted(some)])),
  };
}

/** Sets in one order and numbers in one form, at any depth. */
function settled(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(settled);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([name, member]) => [name, settledMember(name, member)]));
}

function settledMember(name: string, member: unknown): unknown {
  if (name === 'N' && typeof member === 'string') return Number(member);
  if (name === 'NS' && Array.isArray(member)) return sorted(member.map(Number));
  return /^[SB]S$/.test(name) && Array.isArray(member) ? sorted(member) : settled(member);
}

const sorted = (values: readonly unknown[]): unknown[] =>
  values.map((value) => JSON.stringify(settled(value))).sort();
