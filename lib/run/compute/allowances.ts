// How much CPU time the evaluations of each organisation may take on the thread that all callers share. What
// they take is given back as time passes, so that a flow of thousands of evaluations, each just below its own
// allowance, cannot hold that thread either.
import { type Allowance, inlineLimits } from '#lib/flow/expression/compute.ts';

/** At once, in ms. Flows of people take some 10 to 50 µs an expression. */
export const inlineMsMax = 100;
/** Given back for each ms that passes. */
const share = 0.05;
/** Above that, organisations that have all of theirs are forgotten. */
const rememberedMax = 1_000;

/**
 * `monotonicMs` is a clock. Gives the allowance of the organisation's next evaluation: undefined when it has
 * used up what it has.
 */
export function createAllowances(monotonicMs: () => number): (orgid: string) => Allowance | undefined {
  const accounts = new Map<string, { left: number; at: number }>();
  const findAccount = (orgid: string) => {
    const now = monotonicMs();
    const { left, at } = accounts.get(orgid) ?? { left: inlineMsMax, at: now };
    const account = { left: Math.min(inlineMsMax, left + (now - at) * share), at: now };
    if (accounts.size >= rememberedMax && !accounts.has(orgid)) forgetFull(now);
    accounts.set(orgid, account);
    return account;
  };
  const forgetFull = (now: number) => {
    for (const [orgid, { left, at }] of accounts)
      if (left + (now - at) * share >= inlineMsMax) accounts.delete(orgid);
  };
  return (orgid) => {
    if (findAccount(orgid).left <= 0) return undefined;
    const spend = (cpuMs: number) => {
      findAccount(orgid).left -= cpuMs;
    };
    return { cpuMs: inlineLimits.cpuMs, spend };
  };
}
