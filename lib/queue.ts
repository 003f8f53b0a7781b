// The SQS client that all queues share: one pool of connections, so that a function that writes to two queues shakes hands once.
import { SQSClient } from '@aws-sdk/client-sqs';
import { hastyClientConfig, preparedCommands } from './aws.ts';

export const sqs = new SQSClient({ ...hastyClientConfig, ...preparedCommands });
