import { readFileSync } from 'node:fs';
import * as sdk from '@a2a-js/sdk/errors';
import { A2A_ERROR_CODE, restStatusFor, toRestErrorBody } from '@a2a-js/sdk/errors';
import { describe, expect, test } from 'vitest';
import { A2ARefusal, a2aErrors, errorResponse, toStatusBody } from '#lib/a2a/errors.ts';

/** Errors that HTTP distinguishes and JSON-RPC does not, and one that the SDK calls otherwise. */
const codes = Object.entries(a2aErrors)
  .filter(([name]) => name !== 'METHOD_NOT_ALLOWED')
  .map(([name, { code }]) => [name.replace('EXTENDED_AGENT_CARD', 'EXTENDED_CARD'), code]);

const semantic = {
  TASK_NOT_FOUND: sdk.TaskNotFoundError,
  TASK_NOT_CANCELABLE: sdk.TaskNotCancelableError,
  PUSH_NOTIFICATION_NOT_SUPPORTED: sdk.PushNotificationNotSupportedError,
  UNSUPPORTED_OPERATION: sdk.UnsupportedOperationError,
  CONTENT_TYPE_NOT_SUPPORTED: sdk.ContentTypeNotSupportedError,
  INVALID_AGENT_RESPONSE: sdk.InvalidAgentResponseError,
  EXTENDED_AGENT_CARD_NOT_CONFIGURED: sdk.ExtendedAgentCardNotConfiguredError,
  EXTENSION_SUPPORT_REQUIRED: sdk.ExtensionSupportRequiredError,
  VERSION_NOT_SUPPORTED: sdk.VersionNotSupportedError,
} as const;

describe('the table of A2A errors', () => {
  test('has the codes of the specification', () => {
    expect(Object.fromEntries(codes)).toEqual(A2A_ERROR_CODE);
  });

  test.each(Object.entries(semantic))('%s is written as by the official SDK', (name, SdkError) => {
    const error = new SdkError({ message: 'No.' });
    const refusal = new A2ARefusal(name as keyof typeof semantic, 'No.');
    expect(toStatusBody(refusal)).toEqual(toRestErrorBody(error, restStatusFor(error)));
    expect(errorResponse(1, refusal).error).toEqual(sdk.toJsonRpcError(error));
  });

  test.each(Object.entries(a2aErrors))('%s is in docs/a2a.md', (name, { code, httpStatus, status }) => {
    const docs = readFileSync(new URL('../../../docs/a2a.md', import.meta.url), 'utf8');
    if (name === 'INVALID_REQUEST') expect(docs).toContain(`| ${code} | | |`);
    else if (name === 'METHOD_NOT_ALLOWED')
      expect(docs).toContain(`\`${name}\` | | ${httpStatus} | \`${status}\` |`);
    else expect(docs).toContain(`\`${name}\` | ${code} | ${httpStatus} | \`${status}\` |`);
  });
});
