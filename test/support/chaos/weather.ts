// What the dependencies of a worker go through while it works: single calls that fail or come late, and outages of a whole service.
import type { Verdict } from '../aws-proxy.ts';
import { conflict, conflictOfOne, isSingleWrite, throttle } from './faults.ts';

export type Service = 'DYNAMODB' | 'KMS' | 'SQS';
export type Weather = 'calm' | 'late' | 'rough' | 'DynamoDB throttles' | 'KMS is down' | 'SQS is down';

export const allWeathers: readonly Weather[] = [
  'calm',
  'late',
  'rough',
  'rough',
  'rough',
  'DynamoDB throttles',
  'KMS is down',
  'SQS is down',
];

interface Call {
  readonly service: Service;
  readonly operation: string;
}

export function verdictIn(weather: Weather, { service, operation }: Call, random: () => number): Verdict {
  const dice = random();
  if (weather === 'late') return { afterMs: dice * lateMsMax };
  if (weather === 'rough') return roughly(dice, operation);
  if (weather === 'DynamoDB throttles' && service === 'DYNAMODB' && dice < 0.2) return throttle;
  if (weather === 'KMS is down' && service === 'KMS') return keyIsDisabled;
  if (weather === 'SQS is down' && service === 'SQS') return unavailable;
  return 'pass';
}

const lateMsMax = 40;

function roughly(dice: number, operation: string): Verdict {
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
