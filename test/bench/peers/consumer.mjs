// sqs-consumer as a subject: hands each message of a queue to a function and deletes it afterwards, for
// `subject-plain.ts`. Plain JavaScript, because its packages are installed for the bench alone and the type
// check must do without them.
import { SQSClient } from '@aws-sdk/client-sqs';
import { Consumer } from 'sqs-consumer';

const sqs = new SQSClient({});

/** One poller; it takes its next batch when all of this one is handled, as Lambda's do. */
export function startConsumer(queueUrl, batchSize, handle) {
  const consumer = Consumer.create({
    sqs,
    queueUrl,
    batchSize,
    messageSystemAttributeNames: ['ApproximateReceiveCount'],
    handleMessage: async (message) => {
      await handle(message);
      return message;
    },
  });
  consumer.on('error', (error) => {
    throw error;
  });
  consumer.start();
}
