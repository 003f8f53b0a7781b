// Commands for the terminal that do what a page is about.

/** Registers the smallest flow that answers. `base` is the address of the service, with a slash at its end. */
export const registerCommand = (base: string, workspaceid: string): string =>
  `curl -sS "${base}api/v1/a2a-registry?workspaceid=${workspaceid}" \\
  -H "X-API-Key: $API_KEY" -H 'Content-Type: application/yaml' --data-binary @- <<'YAML'
flowid: echo
agent_card:
  name: Echo
  description: Says what it hears.
  skills:
    - { id: echo, name: Echo, description: Repeats the message. }
flow:
  version: 1
  name: Echo
  start: done
  nodes:
    done: { type: end, output: { said: '{{ input.message }}' } }
YAML`;

/** Sends a message over A2A. */
export const callCommand = (hostedUrl: string): string =>
  `curl -sS '${hostedUrl}' \\
  -H "X-API-Key: $API_KEY" -H 'A2A-Version: 1.0' -H 'Content-Type: application/json' \\
  -d '{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{"messageId":"m-1","role":"ROLE_USER","parts":[{"text":"Hello"}]}}}'`;
