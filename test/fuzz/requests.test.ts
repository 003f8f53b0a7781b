// Throws generated requests at every operation of the OpenAPI document: such as fit it, and such as are
// broken in one or several ways. Whatever comes back must be an answer that the document describes, and agree
// with the document on whether the request fits. `SEED=… npm run fuzz` repeats a run.
import { expect, test } from 'vitest';
import { openapiDocument } from '#lib/routes/openapi.ts';
import { a2aRequest } from '#test/support/fuzz/a2a-schema.ts';
import { readApiDocument } from '#test/support/fuzz/api-document.ts';
import { fuzz, report } from '#test/support/fuzz/fuzz.ts';
import { requestsFor } from '#test/support/fuzz/generate.ts';
import { mcpRequest } from '#test/support/fuzz/mcp-schema.ts';
import { rules } from '#test/support/fuzz/rules.ts';
import { newSender } from '#test/support/fuzz/send-request.ts';
import { a2aOperations, newWorld } from '#test/support/fuzz/world.ts';
import { seed } from '#test/support/seed.ts';
import { testedService } from '#test/support/tested-service.ts';

const requests = Number(process.env.FUZZ_REQUESTS ?? 20_000);

test(`${requests} generated requests get only documented answers (SEED=${seed})`, {
  timeout: 1_200_000,
}, async () => {
  const { baseUrl } = testedService();
  const { keys, seeds, ownMarks, signedFlow, tools } = await newWorld(baseUrl);
  const document = readApiDocument(openapiDocument('0.0.0'), {
    ...Object.fromEntries(a2aOperations.map((id) => [id, a2aRequest])),
    callConnector: mcpRequest(tools),
  });
  const sender = newSender(baseUrl, keys);
  const secrets = [keys.good, keys.weak, keys.foreign];
  const began = performance.now();
  const outcome = await fuzz({
    expectations: { document, secrets, ownMarks, signedFlow, rules },
    requestsFor: (operation) => requestsFor(document, operation, seeds),
    sender,
    requests,
    seed,
  });
  sender.close();
  const seconds = ((performance.now() - began) / 1_000).toFixed(1);
  process.stderr.write(
    `fuzz: ${outcome.sent} requests in ${seconds} s, SEED=${seed}, by the document ${JSON.stringify(outcome.verdicts)}, answers ${JSON.stringify(outcome.statuses)}\n`,
  );
  expect(outcome.findings, report(outcome, seed)).toEqual([]);
});
