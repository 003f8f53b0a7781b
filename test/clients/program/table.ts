// What a client has done, step by step, and the results as a table: a line for each client, a column for each step.

export const stepNames = [
  'refused',
  'sign-in',
  'sign-in kept',
  'tools',
  'list',
  'step-up',
  'auth required',
  'input required',
  'completed',
  'refresh',
] as const;
export type StepName = (typeof stepNames)[number];

export interface Result {
  readonly client: string;
  readonly step: StepName;
  readonly outcome: 'pass' | 'fail';
  readonly reason?: string;
}

/** Runs a step; a client whose step fails goes no further. */
export type Step = <T>(name: StepName, run: () => Promise<T>) => Promise<T>;

export interface TriedClient {
  readonly name: string;
  /** A client goes through these, in their order; the others it cannot do. */
  readonly steps: readonly StepName[];
  readonly run: (step: Step) => Promise<void>;
}

export async function tryClient({ name: client, steps, run }: TriedClient): Promise<Result[]> {
  const results: Result[] = [];
  const step: Step = async (name, act) => {
    const result = await act();
    results.push({ client, step: name, outcome: 'pass' });
    return result;
  };
  const reason = await run(step).then(
    () => 'The client did not get there.',
    (error: unknown) => describe(error),
  );
  const next = steps[results.length];
  return next === undefined ? results : [...results, { client, step: next, outcome: 'fail', reason }];
}

/** `fetch` gives the reason of a failure in its cause. */
const describe = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined ? error.message : `${error.message} (${describe(error.cause)})`;
};

export function formatTable(clients: readonly TriedClient[], results: readonly Result[]): string {
  const width = Math.max(...clients.map(({ name }) => name.length)) + 2;
  const line = (name: string, cells: readonly string[]) =>
    [name.padEnd(width), ...cells.map((cell, n) => cell.padEnd((stepNames[n] ?? '').length + 2))]
      .join('')
      .trimEnd();
  const rows = clients.map(({ name, steps }) =>
    line(
      name,
      stepNames.map((step) => {
        const result = results.find((each) => each.client === name && each.step === step);
        if (!steps.includes(step)) return '-';
        return result ? { pass: 'pass', fail: 'FAIL' }[result.outcome] : '';
      }),
    ),
  );
  return [line('client', stepNames), ...rows].join('\n');
}

export const formatFailures = (results: readonly Result[]): string =>
  results
    .filter(({ outcome }) => outcome === 'fail')
    .map(({ client, step, reason }) => `  ${client}, ${step}: ${reason}`)
    .join('\n');
