// The files of a new agent.
import { stringify } from 'yaml';
import { starterCard, starterFlow } from '#lib/starter-flow.ts';

interface StarterFile {
  readonly name: string;
  readonly text: string;
}

export function starterFiles(folder: string, format: 'yaml' | 'json'): readonly StarterFile[] {
  const name = toTitle(folder);
  return [
    { name: `agent.${format}`, text: write(agent(toFlowid(folder), name, format), format) },
    { name: `flow.${format}`, text: write(starterFlow(name), format) },
  ];
}

const write = (value: object, format: 'yaml' | 'json'): string =>
  format === 'yaml' ? stringify(value, { lineWidth: 110 }) : `${JSON.stringify(value, undefined, 2)}\n`;

/** Letters, digits, `.`, `_` and `-`, first a letter or digit. */
function toFlowid(folder: string): string {
  const id = folder
    .replaceAll(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/^[._-]+/, '')
    .slice(0, 64);
  return id || 'my-agent';
}

function toTitle(folder: string): string {
  const words = toFlowid(folder)
    .replaceAll(/[._-]+/g, ' ')
    .trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

const agent = (flowid: string, name: string, format: string) => ({
  flowid,
  flow: `flow.${format}`,
  visibility: 'organization',
  agent_card: starterCard(name),
});
