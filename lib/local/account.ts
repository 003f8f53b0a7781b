// The fake AWS account of the local host. The queue engine accepts only this account number.
export const accountId = '000000000000';
export const region = 'us-east-1';
export const partition = 'aws';
export const urlSuffix = 'amazonaws.com';

/** An ARN in the local account, such as `arn:aws:sqs:us-east-1:000000000000:Name`. */
export function arn(service: string, resource: string): string {
  return `arn:${partition}:${service}:${region}:${accountId}:${resource}`;
}
