// Writes docs/scale.md: what breaks first as a tenant grows, from measured runs and a model.
import { memoryMegabytes } from '#lib/infra/routes.ts';
import type { Cost } from '../call-cost.ts';
import { markdownTable } from '../markdown-table.ts';
import { functionGigabyteSecond, perMillion, pricesAsOf } from '../prices.ts';
import type { RunUse, StartedBy } from './measure.ts';
import { type Outcome, simulate } from './model.ts';
import { answerTo, resourcesOf, type Setup, setups } from './scenarios.ts';
import { type Postings, searchTable } from './search-reads.ts';

const rates = [100, 1_000, 10_000];
/** Of a run of one model call. */
const runSeconds = 2;
const simulatedSeconds = 900;
const seed = 20_261_128;

const titles: Readonly<Record<StartedBy, string>> = {
  trigger: 'synchronous trigger',
  message: 'A2A `SendMessage`',
  event: 'webhook event',
};

export interface Measured {
  readonly runs: Readonly<Record<StartedBy, RunUse>>;
  readonly postings: Postings;
}

export function scalePage({ runs, postings }: Measured): string {
  const paths = Object.entries(runs) as [StartedBy, RunUse][];
  const outcomes = paths.flatMap(([startedBy, use]) =>
    rates.map((rate) => ({
      startedBy,
      use,
      rate,
      of: setups.map((setup) => run(startedBy, use, rate, setup)),
    })),
  );
  const reached = [...new Set(outcomes.flatMap(({ of }) => of.flatMap(({ first }) => first?.name ?? [])))];
  return [
    intro,
    markdownTable([
      [
        'Run started by',
        'calls',
        'read units',
        'write units',
        ...rates.map((rate) => `$ a day at ${group(rate)}/s`),
      ],
      ...paths.map(([startedBy, use]) => [
        titles[startedBy],
        ...[use.dynamodb, use.readUnits, use.writeUnits].map(String),
        ...rates.map((rate) => group(Math.round(dollarsOf(startedBy, use) * rate * 86_400))),
      ]),
    ]),
    sharedIntro,
    markdownTable([['Partition', ...paths.map(([startedBy]) => titles[startedBy])], ...sharedRows(paths)]),
    breaksIntro,
    markdownTable(
      [
        ['Started by', 'runs a second', ...setups.map(({ title }) => title)],
        ...outcomes.map(({ startedBy, rate, of }) => [titles[startedBy], group(rate), ...of.map(describe)]),
      ],
      5,
    ),
    answersIntro,
    markdownTable([['Limit', 'Answer'], ...reached.toSorted().map((name) => [name, answerTo(name)])], 2),
    searchIntro(postings),
    searchTable(postings),
    '',
  ].join('\n');
}

const run = (startedBy: StartedBy, use: RunUse, rate: number, setup: Setup): Outcome =>
  simulate({
    rate,
    resources: resourcesOf(startedBy, use, setup),
    runSeconds,
    isQueued: startedBy === 'event',
    seconds: simulatedSeconds,
    random: createRandom(seed),
  });

function describe({ served, refused, waited, first }: Outcome): string {
  if (!first) return 'all';
  const rest =
    waited > 0 ? `; events wait ${group(waited)} s` : refused > 0 ? `; ${percent(refused)} refused` : '';
  return `${group(round(served))}/s, by ${first.name}${rest}`;
}

/** To two digits: the model is not more exact. */
const round = (value: number) => Number(value.toPrecision(2));
const group = (value: number) => value.toLocaleString('en-US');
const percent = (part: number) => `${Math.round(part * 100)} %`;

function sharedRows(paths: readonly (readonly [StartedBy, RunUse])[]): string[][] {
  const names = [...new Set(paths.flatMap(([, { shared }]) => shared.map(({ name }) => name)))];
  const cell = (use: RunUse, name: string) => {
    const found = use.shared.find((each) => each.name === name);
    if (!found) return '';
    return found.writeUnits > 0 ? `${found.writeUnits} written` : `${found.readUnits.toFixed(1)} read`;
  };
  return names.map((name) => [`\`${name}\``, ...paths.map(([, use]) => cell(use, name))]);
}

/** Of one run, with the time of its function. */
function dollarsOf(startedBy: StartedBy, use: Cost): number {
  const functions = startedBy === 'event' ? 2 : 1;
  const gigabytes = (startedBy === 'event' ? 1_024 : memoryMegabytes.run) / 1_024;
  const calls =
    perMillion.gatewayRequest +
    functions * perMillion.functionCall +
    use.readUnits * perMillion.readUnit +
    use.writeUnits * perMillion.writeUnit +
    use.sqs * perMillion.sqsRequest;
  return calls / 1_000_000 + gigabytes * runSeconds * functionGigabyteSecond;
}

/** Mulberry32. */
function createRandom(start: number): () => number {
  let state = start;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const intro = `# Scale

What breaks first as a tenant grows, and what to do about it. \`npm run scale\` generates this page, and a test checks it, so
that no change moves a limit unnoticed.

It measures runs of a flow of one node, as [costs.md](costs.md) does: their calls, their capacity units, and the partitions
of DynamoDB that all runs of one caller share. A model then lets runs arrive at random around a rate for ${simulatedSeconds / 60} minutes (seed
${seed}), with each run taking its units from the settings of the tenant, the quotas of the account and these partitions. A
run occupies its function for ${runSeconds} s, as one with a model call does. The model has no network and no latency, and DynamoDB may do
better: it isolates partitions that are hot. Nothing of it was run on AWS; figures are rounded to two digits.

## What a run takes

With the prices of ${pricesAsOf}, the time of its function included and models not:
`;

const sharedIntro = `
Units of one run in the partitions that runs share. An index has its own partitions: \`gsi1: …\`. A partition takes 1,000 write
units and 3,000 read units a second:
`;

const breaksIntro = `
## What breaks first

*As installed* has the defaults of the [tenant file](operations.md#deploy), one organisation with one key, and the default quotas of AWS.
*Raised* has the highest settings that the tenant file takes, and quotas that AWS grants on request: 20,000 requests a second,
10,000 concurrent executions, 400,000 write units of a table. Each cell has how many runs a second are begun after
${simulatedSeconds / 60} minutes, and the limit that was reached first:
`;

const answersIntro = `
Callers are refused with 429 or 503, and \`Retry-After\`. Events that were accepted wait in their queue.

## Answers
`;

const searchIntro = ({ count, bytes }: Postings) => `
## Search

A live agent with one skill is found by ${count} postings of ${bytes} bytes, public ones by twice as many. A search reads 250 of each word at most,
the heaviest, of its organisation and of all public agents, and then the rows of a page: the same in the first search of a process as in
later ones, and whatever the number of agents ([why](decisions/0082-search-postings.md)). These are the reads of a search for three words that all agents
have. The postings of words that begin alike are one partition, of 3,000 read units a second; the last column is how many searches of that
one word it takes. Of agents that have only words that thousands of others have too, the 250 with the heaviest are found:
`;
