// The client of KMS. All that call it share it, so that a cold start opens one connection.
import { KMSClient } from '@aws-sdk/client-kms';
import { clientConfig, preparedCommands } from './aws.ts';

export const kms = new KMSClient({ ...clientConfig, ...preparedCommands });
