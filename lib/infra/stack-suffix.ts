// What tells a stack from one of the same name that was deleted before.
import { Aws, Fn } from 'aws-cdk-lib/core';

/** Eight hexadecimal digits of the id of the stack in which it is used, which is a nested one there. */
export const stackSuffix = (): string =>
  Fn.select(0, Fn.split('-', Fn.select(2, Fn.split('/', Aws.STACK_ID))));
