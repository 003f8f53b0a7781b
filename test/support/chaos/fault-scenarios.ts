// The faults of a worker's dependencies: single calls that fail or are delayed, and outages of a whole
// service.
import type { Verdict } from '../aws-proxy.ts';
import { conflict, conflictOfOne, isSingleWrite, throttle } from './faults.ts';

export type Service = 'DYNAMODB' | 'KMS' | 'SQS';
export type FaultScenario =
  | 'no faults'
  | 'delays'
  | 'mixed faults'
  | 'DynamoDB throttles'
  | 'KMS is down'
  | 'SQS is down';

export const faultScenarios: readonly FaultScenario[] = [
  'no faults',
  'delays',
  'mixed faults',
  'mixed faults',
  'mixed faults',
  'DynamoDB throttles',
  'KMS is down',
  'SQS is down',
];

interface Call {
  readonly service: Service;
  readonly operation: string;
}

export function chooseVerdict(
  scenario: FaultScenario,
  { service, operation }: Call,
  random: () => number,
): Verdict {
  const dice = random();
  if (scenario === 'delays') return { afterMs: dice * lateMsMax };
  if (scenario === 'mixed faults') return chooseMixedFault(dice, operation);
  if (scenario === 'DynamoDB throttles' && service === 'DYNAMODB' && dice < 0.2) return throttle;
  if (scenario === 'KMS is down' && service === 'KMS') return keyIsDisabled;
  if (scenario === 'SQS is down' && service === 'SQS') return unavailable;
  return 'pass';
}

const lateMsMax = 40;

function chooseMixedFault(dice: number, operation: string): Verdict {
  if (dice < 0.05) return 'reset';
  if (dice < 0.1) return 'lose answer';
  if (dice > 0.9 && operation === 'TransactWriteItems') return conflict(2);
  if (dice > 0.9 && isSingleWrite(operation)) return conflictOfOne;
  return dice < 0.4 ? { afterMs: dice * lateMsMax } : 'pass';
}

const keyIsDisabled: Verdict = {
  status: 400,
  error: { __type: 'DisabledException', message: 'The key is disabled.' },
};
const unavailable: Verdict = {
  status: 503,
  error: { __type: 'com.amazonaws.sqs#ServiceUnavailable', message: 'The service is not available.' },
};
