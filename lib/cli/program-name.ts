// How the person who reads a hint starts this program: npx and `npm exec` set `npm_command` for what they start.

export const programName = (env: NodeJS.ProcessEnv = process.env): string =>
  env.npm_command === 'exec' ? 'npx agent-flow' : 'agent-flow';
