// What the suite has found, beside what was expected.
import type { ScenarioResult } from './suite.ts';
import type { Waivers } from './waivers.ts';

/** A sentence for each result that was not expected. */
export function compare(results: readonly ScenarioResult[], waivers: Waivers): string[] {
  const names = new Set(results.map(({ scenario }) => scenario));
  const unknown = Object.keys(waivers).filter((scenario) => !names.has(scenario));
  return [
    ...results.flatMap(({ scenario, failures }) => {
      const isWaived = waivers[scenario] !== undefined;
      if (isWaived && failures.length === 0) return [`${scenario} passes: remove its waiver.`];
      return isWaived ? [] : failures.map((failure) => `${scenario} fails: ${failure}`);
    }),
    ...unknown.map((scenario) => `${scenario} has a waiver, and is not in the suite.`),
  ];
}

export function formatResults(title: string, results: readonly ScenarioResult[], waivers: Waivers): string {
  const passed = results.filter(({ failures }) => failures.length === 0);
  const checks = results.reduce((sum, each) => sum + each.checks, 0);
  const waived = Object.entries(waivers).map(([scenario, reason]) => `  waived: ${scenario}: ${reason}`);
  const summary = `${title}: ${passed.length} of ${results.length} scenarios pass (${checks} checks)`;
  return [summary, ...waived].join('\n');
}
