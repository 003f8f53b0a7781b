// Which tool the demo's scripted model uses: one that the user's message names in words ("find tickets"), each once. A rule, as in `demo-script.ts`.
import type { JsonObject } from '#lib/json/json.ts';
import { hasWord, scriptedAnswer } from './demo-script.ts';

interface DemoTool {
  readonly name: string;
  /** JSON Schema of an object. */
  readonly parameters: JsonObject;
}

interface DemoToolCall {
  readonly name: string;
  /** JSON text, as providers send it. */
  readonly arguments: string;
}

/** The next tool in their order; undefined when every tool that the prompt names was used. */
export function scriptedToolCall(
  prompt: string,
  tools: readonly DemoTool[],
  used: ReadonlySet<string>,
): DemoToolCall | undefined {
  const tool = tools.find(({ name }) => !used.has(name) && hasWord(prompt, name.replaceAll(/[_-]+/g, ' ')));
  return tool && { name: tool.name, arguments: scriptedAnswer(prompt, tool.parameters) };
}
