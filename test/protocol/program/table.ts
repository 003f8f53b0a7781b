// The results as one table: a line for each scenario and client, a column for each binding and URL.
import { type UrlName, urlNames } from './deployment.ts';

export interface Result {
  readonly scenario: string;
  readonly client: string;
  readonly binding: string;
  readonly url: UrlName;
  readonly outcome: 'pass' | 'fail' | 'not offered';
  /** Why it failed or is not offered. */
  readonly reason?: string | undefined;
}

const bindings = ['JSONRPC', 'HTTP+JSON'];
const cells = { pass: 'pass', fail: 'FAIL', 'not offered': '-' } as const;

export function formatTable(results: readonly Result[]): string {
  const lines = unique(results.map(({ scenario }) => scenario)).flatMap((scenario) =>
    unique(results.map(({ client }) => client)).map((client) => {
      const own = results.filter((each) => each.scenario === scenario && each.client === client);
      return formatLine(scenario, client, (binding, url) => {
        const result = own.find((each) => each.binding === binding && each.url === url);
        return result ? cells[result.outcome] : '';
      });
    }),
  );
  return [
    formatLine('', '', (binding) => binding),
    formatLine('scenario', 'client', (_, url) => url),
    ...lines,
  ]
    .map((line) => line.trimEnd())
    .join('\n');
}

function formatLine(
  scenario: string,
  client: string,
  cell: (binding: string, url: UrlName) => string,
): string {
  const columns = bindings.flatMap((binding) => urlNames.map((url) => cell(binding, url).padEnd(10)));
  return [scenario.padEnd(36), client.padEnd(14), ...columns].join('');
}

/** Each reason once, with the results that have it. */
export function formatReasons(results: readonly Result[], outcome: Result['outcome']): string {
  const chosen = results.filter((result) => result.outcome === outcome);
  const reasons = unique(chosen.map(({ scenario, client, reason }) => `${scenario}, ${client}: ${reason}`));
  return reasons
    .map((reason) => {
      const own = chosen.filter((each) => `${each.scenario}, ${each.client}: ${each.reason}` === reason);
      return `  ${reason} (${unique(own.map(({ binding, url }) => `${binding} ${url}`)).join(', ')})`;
    })
    .join('\n');
}

const unique = <T>(values: readonly T[]): T[] => [...new Set(values)];
