// Sends generated requests and gathers what is wrong with the answers, each defect once and with the smallest
// request that shows it.
import fc from 'fast-check';
import type { Operation } from './api-document.ts';
import { type Defect, defectsIn, type Expectations } from './checks.ts';
import { asCurl, type FuzzRequest, judge } from './fuzz-request.ts';
import type { Sender } from './send-request.ts';

export interface Campaign {
  readonly expectations: Expectations;
  readonly requestsFor: (operation: Operation) => fc.Arbitrary<FuzzRequest>;
  readonly sender: Sender;
  /** For all operations together. */
  readonly requests: number;
  readonly seed: number;
  /** Operations that are tested at the same time. */
  readonly concurrency?: number;
}

export interface Finding extends Defect {
  readonly operation: string;
  readonly curl: string;
}

export interface Outcome {
  readonly findings: readonly Finding[];
  readonly sent: number;
  /** Requests by what the document says of them, so that a generator that only makes nonsense shows. */
  readonly verdicts: Readonly<Record<string, number>>;
  readonly statuses: Readonly<Record<string, number>>;
}

/** Tries that making one request smaller may take. */
const shrinksMax = 120;
/** Defects after which an operation is not tested further; others show once these are fixed. */
const findingsMax = 12;

export async function fuzz({ concurrency = 6, ...campaign }: Campaign): Promise<Outcome> {
  const { operations } = campaign.expectations.document;
  const each = Math.max(1, Math.ceil(campaign.requests / operations.length));
  const tally = newTally();
  const findings: Finding[] = [];
  const rest = [...operations.entries()];
  const worker = async () => {
    for (let next = rest.shift(); next; next = rest.shift()) {
      const [n, operation] = next;
      findings.push(
        ...(await fuzzOperation(operation, { ...campaign, requests: each, seed: campaign.seed + n }, tally)),
      );
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  return { findings, sent: tally.sent, verdicts: tally.verdicts, statuses: tally.statuses };
}

interface Tally {
  sent: number;
  readonly verdicts: Record<string, number>;
  readonly statuses: Record<string, number>;
}

const newTally = (): Tally => ({ sent: 0, verdicts: {}, statuses: {} });

async function fuzzOperation(
  operation: Operation,
  campaign: Omit<Campaign, 'concurrency'>,
  tally: Tally,
): Promise<Finding[]> {
  const requests = campaign.requestsFor(operation);
  const findings: Finding[] = [];
  const seen = new Set<string>();
  for (let done = 0; done < campaign.requests && findings.length < findingsMax; ) {
    const search = new Search(seen, campaign, tally);
    const result = await fc.check(
      fc.asyncProperty(requests, async (request) => await search.isGood(request)),
      { seed: campaign.seed + done * operationsMax, numRuns: campaign.requests - done },
    );
    done += result.numRuns;
    if (search.found) findings.push({ ...search.found, operation: operation.id });
    // The first of several defects of one request hides the others until it is known.
    if (search.found) seen.add(defectKey(search.found));
    else break;
  }
  return findings;
}

/** So that no two operations ever have the same seed. */
const operationsMax = 1_000;

const defectKey = ({ check, signature }: Defect) => `${check}\n${signature}`;

/** For one defect: the first that was not seen before, and then the smallest request that still has it. */
class Search {
  found: (Defect & { readonly curl: string }) | undefined;
  #shrinks = 0;
  readonly #seen: ReadonlySet<string>;
  readonly #campaign: Omit<Campaign, 'concurrency'>;
  readonly #tally: Tally;

  constructor(seen: ReadonlySet<string>, campaign: Omit<Campaign, 'concurrency'>, tally: Tally) {
    this.#seen = seen;
    this.#campaign = campaign;
    this.#tally = tally;
  }

  async isGood(request: FuzzRequest): Promise<boolean> {
    if (this.found) this.#shrinks += 1;
    if (this.#shrinks > shrinksMax) return true;
    const defect = (await this.#defectsOf(request)).find((each) =>
      this.found ? defectKey(each) === defectKey(this.found) : !this.#seen.has(defectKey(each)),
    );
    if (defect)
      this.found = { ...defect, curl: asCurl(request, this.#campaign.sender.toCredentials(request)) };
    return defect === undefined;
  }

  async #defectsOf(request: FuzzRequest): Promise<readonly Defect[]> {
    const { expectations, sender } = this.#campaign;
    const verdict = judge(expectations.document, request);
    const answer = await sender.send(request).catch(String);
    count(
      this.#tally,
      this.found ? 'shrunk' : verdict.fits,
      typeof answer === 'string' ? answer : `${answer.status}`,
    );
    if (answer === 'no answer') return [];
    if (typeof answer === 'string')
      return [{ check: 'an answer', signature: answer.replace(/\d+/g, 'n'), message: answer }];
    return defectsIn(request, answer, verdict, expectations);
  }
}

function count(tally: Tally, verdict: string, status: string): void {
  tally.sent += 1;
  tally.verdicts[verdict] = (tally.verdicts[verdict] ?? 0) + 1;
  tally.statuses[status] = (tally.statuses[status] ?? 0) + 1;
}

/** For people, with what repeats the run. */
export function report({ findings }: Outcome, seed: number): string {
  const lines = findings.map(
    ({ check, operation, message, curl }) => `${operation}: ${check}: ${message}\n    ${curl}`,
  );
  return [`${findings.length} defects; SEED=${seed} npm run fuzz repeats the run`, ...lines].join('\n');
}
