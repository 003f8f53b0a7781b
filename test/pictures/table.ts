// The pictures of the console in the documents, each from the journey that goes there.

export interface ConsolePicture {
  /** In docs/pictures/console, without `.png`. */
  readonly file: string;
  /** The file in test/console, without `.test.ts`. */
  readonly journey: string;
  /** As the journey names it, with the width and the scheme, without `.png`. */
  readonly screenshot: string;
}

const picture = (file: string, journey: string, screenshot: string): ConsolePicture => ({
  file,
  journey,
  screenshot: `console-${screenshot}`,
});

export const consolePictures: readonly ConsolePicture[] = [
  picture('home', 'home', 'home-many-runs-light'),
  picture('agents', 'agents', 'agents-1280-light'),
  picture('agent', 'agents', 'agent-1280-light'),
  picture('build', 'callers', 'callers-1280-light'),
  picture('compare', 'agents', 'compare-1280-light'),
  picture('editor', 'editor', 'editor-1280-light'),
  picture('node-form', 'node-form', 'node-form-1280-light'),
  picture('runs', 'console', 'runs-1280-light'),
  picture('run', 'run-values', 'waits-1280-dark'),
  picture('run-flow', 'console', 'run-flow-1280-light'),
  picture('run-values', 'run-values', 'run-values-1280-light'),
  picture('inbox', 'console', 'inbox-1280-light'),
  picture('playground', 'playground', 'playground-1280-dark'),
  picture('trigger', 'operate', 'trigger-1280-light'),
  picture('connections', 'operate', 'connections-1280-light'),
  picture('dead-letters', 'operate', 'dead-letters-1280-light'),
  picture('usage', 'usage', 'usage-1280-light'),
  picture('members', 'settings', 'members-1280-light'),
  picture('palette', 'keyboard', 'palette-1280-dark'),
];
