// Statements of policies: which actions on which tables, items and keys.
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Aws } from 'aws-cdk-lib/core';
import type { UsedTable } from './tables.ts';

export const reads = ['dynamodb:GetItem', 'dynamodb:BatchGetItem', 'dynamodb:Query'];
/** A transaction needs the permissions of its actions. */
export const writes = [
  'dynamodb:PutItem',
  'dynamodb:UpdateItem',
  'dynamodb:DeleteItem',
  'dynamodb:ConditionCheckItem',
  'dynamodb:BatchWriteItem',
];

export function allow(
  actions: string[],
  resources: string[],
  equals?: Record<string, string>,
): PolicyStatement {
  return new PolicyStatement({ actions, resources, ...(equals && { conditions: { StringEquals: equals } }) });
}

export const allowOnItems = (
  { tableArn }: UsedTable,
  patterns: readonly string[],
  actions: string[],
): PolicyStatement => new PolicyStatement({ actions, resources: [tableArn], conditions: onItems(patterns) });

/**
 * Only items whose partition key matches a pattern, and only the given attributes, if any. `ForAllValues` is
 * true for a request without keys; `Null` refuses such a request.
 */
export function onItems(patterns: readonly string[], attributes?: readonly string[]) {
  return {
    'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': patterns },
    Null: { 'dynamodb:LeadingKeys': 'false' },
    ...(attributes && { 'ForAllValues:StringEquals': { 'dynamodb:Attributes': attributes } }),
  };
}

/** The roles of customers, in whichever account. A path of their own keeps all other roles out of reach. */
export const customerRoles = `arn:${Aws.PARTITION}:iam::*:role/agent-flow/*`;

export function indexArns(table: UsedTable, indexes: readonly string[]): string[] {
  return indexes.map((index) => `${table.tableArn}/index/${index}`);
}

/** What Lambda needs to invoke a function with the messages of a queue. */
export const receiveFrom = ({ queueArn }: Queue): PolicyStatement =>
  allow(
    ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes', 'sqs:ChangeMessageVisibility'],
    [queueArn],
  );

/** Finds items of all organisations, and notes how far a migration is. */
export const migrationStatements = (control: UsedTable): PolicyStatement[] => [
  allow(['dynamodb:Scan'], indexArns(control, ['gsi1'])),
  allowOnItems(control, ['MIGRATION#*'], ['dynamodb:PutItem']),
];

/** Builds, flows and their owners, and the postings of lists and of the search; signatures of cards are only deleted. */
export const registryStatements = (control: UsedTable): PolicyStatement[] => [
  allowOnItems(control, ['AGENT#*', 'FLOW#*', 'WS#*', 'SEARCH#*'], writes),
  allowOnItems(control, ['CARD#*'], ['dynamodb:DeleteItem']),
];
