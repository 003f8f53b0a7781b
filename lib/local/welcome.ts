// What `npm start` prints when it is ready: the addresses, and three commands to copy.

import type { FoundModels } from './found-models.ts';
import type { Home } from './home.ts';
import type { ModelSource } from './local-models.ts';
import type { Seeded } from './seed.ts';
import { shellWord } from './shell-word.ts';

interface Start {
  readonly baseUrl: string;
  readonly seconds: number;
  readonly models: FoundModels;
}

export function welcome(home: Home, demo: Seeded, { baseUrl, seconds, models }: Start): string {
  const { orgid, workspaceid, flowid, registryId, buildNo, keyId } = demo;
  const key = `$(cat ${shellWord(home.apiKey)})`;
  const json = `-H 'Content-Type: application/json'`;
  const message = { messageId: 'm-1', role: 'ROLE_USER', parts: [{ text: 'Where is my order 1042?' }] };
  const rpc = { jsonrpc: '2.0', id: 1, method: 'SendMessage', params: { message } };
  return `
Agent Flow Service is ready in ${seconds.toFixed(1)} s.

  console        ${baseUrl}/console (signs you in as the owner; sign out to be somebody else)
  documentation  ${baseUrl}/docs/
  service        ${baseUrl}

  organisation ${orgid}, workspace ${workspaceid}, API key ${keyId} in ${home.apiKey}
  example agent "${flowid}", live as ${registryId} (build ${buildNo}); it uses ${models.found ? `the model ${models.found.defaultModel}` : 'the scripted demo model, not a real one'}
${describeModels(models)}
  API            ${baseUrl}/openapi.json
  agent (A2A)    ${baseUrl}/api/v1/ai/a2a/${flowid}/
  agent card     ${baseUrl}/api/v1/ai/a2a/${flowid}/.well-known/agent-card.json

Trigger the flow and wait for its result:
  curl -sS ${baseUrl}/api/v1/ai/trigger/${workspaceid}/${flowid}/live -H "X-API-Key: ${key}" ${json} -d '{"message":"Where is my order 1042?"}'

Post a webhook event:
  curl -sS ${baseUrl}/api/triggers/webhook/${flowid} -H "Authorization: Bearer ${key}" ${json} -d '{"event":"message.received","data":{"text":"I want a refund"}}'
  Read its run at ${baseUrl}/api/v1/ai/trigger/status/${workspaceid}/{triggerId}

Call the agent over A2A:
  curl -sS ${baseUrl}/api/v1/ai/a2a/${flowid}/ -H "X-API-Key: ${key}" -H 'A2A-Version: 1.0' ${json} -d '${JSON.stringify(rpc)}'

For a demo of the main use, step by step, run npm run demo. Stop with Ctrl-C.`;
}

/** Which models flows can use, and how they name them. */
function describeModels({ found, notes }: FoundModels): string {
  if (!found && notes.length === 0)
    return '  models         none but the demo model: set OPENAI_API_KEY, OPENAI_BASE_URL, ANTHROPIC_API_KEY or AWS credentials, see docs/local.md';
  const lines = found?.sources.map(describeSource) ?? [];
  const usage =
    found &&
    `A flow uses ${found.defaultModel} if it names no model, and another by its name: "models": {"default": {"model": "…"}}`;
  const [first, ...rest] = [...lines, ...(usage ? [usage] : []), ...notes];
  return [`  models         ${first}`, ...rest.map((line) => `                 ${line}`)].join('\n');
}

function describeSource({ variable, override, names }: ModelSource): string {
  const shown = names.slice(0, namesShown).join(', ');
  const more = names.length > namesShown ? ` and ${names.length - namesShown} more` : '';
  // Of the models in MODELS there is no other to choose, while a provider has those that its list leaves out.
  const isOnly = variable === 'MODELS' && names.length === 1;
  return `${shown}${more}, by ${variable}${isOnly ? '' : `; ${override} chooses another`}`;
}

const namesShown = 5;
