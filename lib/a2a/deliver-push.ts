// Handles one message of the delivery queue about push notifications: waits longer, or sends each configuration
// of the task the updates after its cursor, one after the other. The claim on a configuration lets one worker
// send at a time, which keeps the order; the cursor moves after the receiver has accepted an update, so a crash
// repeats one and loses none. A worker that gives its claim back reads the events once more, as the message of a
// later event may have found the claim taken.
import { StreamResponse } from '@a2a-js/sdk';
import { type Attempt, stateAfter, waitSeconds } from '#lib/delivery/attempt.ts';
import { postOnce, timeoutMs } from '#lib/delivery/post.ts';
import { decryptTarget, type PushTarget, type StoredPushConfig } from '#lib/delivery/push-config.ts';
import {
  type Claim,
  claimConfig,
  readConfig,
  readConfigs,
  recordDelivered,
  recordFailed,
  releaseConfig,
} from '#lib/delivery/push-config-items.ts';
import { parkPush } from '#lib/delivery/push-letter.ts';
import type { Log } from '#lib/log.ts';
import { count } from '#lib/metrics.ts';
import { checkSeconds, enqueueDelivery, type PushMessage } from '#lib/run/delivery-queue.ts';
import { endIfAbandoned } from '#lib/run/end.ts';
import { pushMessage } from '#lib/run/push-queue.ts';
import { readEventItems, readRun } from '#lib/run/run-items.ts';
import type { RunView } from '#lib/run/state.ts';
import type { StoredRun } from '#lib/run/stored-run.ts';
import { viewTaskWithoutLinks } from './own-task.ts';
import { listPushUpdates, type PushUpdate } from './push-updates.ts';

interface Invocation {
  readonly remainingMs: () => number;
  readonly log: Log;
}

/** Throws when the message must be delivered again. */
export async function deliverPush(message: PushMessage, invocation: Invocation): Promise<void> {
  if (message.wait_seconds > 0) return await enqueueDelivery(message);
  const found = await readRun(message.run_id);
  // The task was never stored, or has expired.
  if (!found) return;
  const run = await endIfAbandoned(found, Date.now());
  const named = await readNamed(message);
  if (named.some((config) => isTooEarly(config, message)))
    return await enqueueDelivery({ ...message, wait_seconds: claimMs / 1_000 });
  const configs = named.filter((config) => isDue(config, message));
  if (configs.length > 0) await deliverAll(run, configs, invocation);
  if (message.check !== undefined) await checkLater(message);
}

async function readNamed({ run_id, config_id }: PushMessage): Promise<StoredPushConfig[]> {
  if (config_id === undefined) return await readConfigs(run_id);
  const config = await readConfig(run_id, config_id);
  return config ? [config] : [];
}

/** The attempt before is not recorded yet: the message would find the claim taken, and be lost. */
const isTooEarly = ({ attempts, busy_until }: StoredPushConfig, { attempt }: PushMessage): boolean =>
  attempt > attempts.length && busy_until >= Date.now();

/** After a failed attempt, updates wait for the message of the next one, unless that is lost. */
function isDue({ state, attempts, next_attempt_at }: StoredPushConfig, message: PushMessage): boolean {
  if (state !== 'waiting') return false;
  const isLost = Date.parse(next_attempt_at ?? '') + checkSeconds * 1_000 < Date.now();
  return attempts.length === 0 || attempts.length === message.attempt || isLost;
}

async function checkLater(message: PushMessage): Promise<void> {
  const [config] = await readNamed(message);
  if (config?.version === message.check && config?.state === 'waiting')
    await enqueueDelivery({ ...message, wait_seconds: checkSeconds });
}

/** All at once: a slow receiver does not hold up the others. */
async function deliverAll(
  run: StoredRun,
  configs: readonly StoredPushConfig[],
  invocation: Invocation,
): Promise<void> {
  const task = await viewTaskWithoutLinks(run);
  const outcomes = await Promise.allSettled(configs.map((config) => deliverTo(task, config, invocation)));
  const failed = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failed) throw failed.reason;
}

/** The timeout of the function. Its message becomes visible again after six times as long. */
const claimMs = 60_000;

async function deliverTo(task: RunView, config: StoredPushConfig, invocation: Invocation): Promise<void> {
  const { run } = task;
  const updates = listPushUpdates(task, config.first_generation, config.cursor);
  if (updates.length === 0) return;
  const now = Date.now();
  const claim = { runId: run.run_id, config, untilMs: now + claimMs };
  if (!(await claimConfig(claim, now))) return;
  if (!(await sendAll(run, claim, updates, invocation))) return;
  if ((await readEventItems(run.run_id, run.generation)).length === 0) return;
  const [next, later] = await Promise.all([readRun(run.run_id), readConfig(run.run_id, config.config_id)]);
  if (next && later && isDue(later, pushMessage(run)))
    await deliverTo(await viewTaskWithoutLinks(next), later, invocation);
}

/** Left for one attempt and its record. */
const reserveMs = timeoutMs + 5_000;

/** True when the receiver has accepted all; the claim is given back then. */
async function sendAll(
  run: StoredRun,
  claim: Claim,
  updates: readonly PushUpdate[],
  { remainingMs, log }: Invocation,
): Promise<boolean> {
  const target = await decryptTarget(run, claim.config);
  let failures = claim.config.attempts.length;
  for (const [n, update] of updates.entries()) {
    if (remainingMs() < reserveMs) return await handOver(run, claim);
    const attempt = await postUpdate(claim.config, target, update);
    const state = stateAfter(attempt, failures);
    report(log, claim, { ...attempt, state, number: failures });
    if (state !== 'delivered')
      return await fail(run, claim, attempt, state === 'waiting' ? failures + 1 : undefined);
    const isLast = n + 1 === updates.length;
    const { cursor, isEnd } = update;
    if (!(await recordDelivered(claim, { cursor, at: attempt.at, isEnd, isLast }))) return false;
    failures = 0;
  }
  return true;
}

/** Another invocation continues. */
async function handOver(run: StoredRun, claim: Claim): Promise<false> {
  await releaseConfig(claim);
  await enqueueDelivery({ ...pushMessage(run), config_id: claim.config.config_id });
  return false;
}

async function postUpdate(
  { version, protocol_version }: StoredPushConfig,
  { url, token, authentication }: PushTarget,
  { cursor, response }: PushUpdate,
): Promise<Attempt> {
  const { scheme, credentials } = authentication ?? {};
  const { body, contentType } = protocol_version
    ? await serializeLegacy(response)
    : { body: JSON.stringify(StreamResponse.toJSON(response)), contentType: 'application/a2a+json' };
  return await postOnce(url, {
    headers: {
      'content-type': contentType,
      // The same for each attempt, as that of callbacks, and another for each configuration: several may have
      // the same receiver, and one that replaces another begins with the task again.
      'webhook-id': `${version}.${cursor.generation}.${cursor.updates}`,
      ...(token && { 'x-a2a-notification-token': token.reveal() }),
      ...(credentials && { authorization: `${scheme} ${credentials.reveal()}` }),
    },
    body,
  });
}

/** For clients of A2A 0.3. Loaded here, because most receivers speak 1.0. */
async function serializeLegacy(response: StreamResponse) {
  const { V03PushNotificationSerializer } = await import('@a2a-js/sdk/compat/v0_3/server');
  return new V03PushNotificationSerializer().serialize(response);
}

/**
 * The message of the next attempt is sent before this one is recorded, so a crash in between repeats an attempt
 * and loses none. `next` counts from 0; without it the configuration is given up, and filed as a dead letter
 * unless the receiver is gone by its own word (410).
 */
async function fail(
  run: StoredRun,
  claim: Claim,
  attempt: Attempt,
  next: number | undefined,
): Promise<false> {
  const { config } = claim;
  if (next !== undefined) {
    const wait_seconds = withJitter(waitSeconds[next] ?? 0, Math.random());
    await enqueueDelivery({ ...pushMessage(run), config_id: config.config_id, attempt: next, wait_seconds });
    const nextAttemptAt = new Date(Date.now() + wait_seconds * 1_000).toISOString();
    await recordFailed(claim, { attempt, nextAttemptAt });
    return false;
  }
  if (attempt.status !== 410) await parkPush(run, config, attempt);
  await recordFailed(claim, { attempt, nextAttemptAt: undefined });
  return false;
}

/** Up to a fifth more or less, so that receivers that failed together are not called together again. */
const withJitter = (seconds: number, random: number): number => Math.round(seconds * (0.8 + 0.4 * random));

interface ReportedAttempt extends Attempt {
  readonly state: StoredPushConfig['state'];
  readonly number: number;
}

function report(log: Log, { runId, config }: Claim, { state, number, status, error }: ReportedAttempt): void {
  const { config_id } = config;
  log.info('push notification', { run_id: runId, config_id, attempt: number, state, status, reason: error });
  count('PushNotifications', { dimensions: { outcome: state === 'waiting' ? 'failed' : state } });
}
