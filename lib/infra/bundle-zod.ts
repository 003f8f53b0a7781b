// Keeps zod small in the bundles: our functions use a third of it and the words of our own, whatever the packages beside them ask for. And quick at the
// first request: zod writes and compiles a parser for each kind of object with the first that comes, which pays after some five hundred.
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Plugin, PluginBuild } from 'esbuild';

const namespace = 'zod-of-late-clients';
/** The packages of the model client and of the MCP client. They import all of zod (`{ z }`). */
const lateClients = /[/\\]node_modules[/\\](?:@(?:ai-sdk|modelcontextprotocol)[/\\][^/\\]+|ai)[/\\]/;
const settings = /[/\\]zod[/\\]v4[/\\]core[/\\]core\.js$/;
const english = /[/\\]zod[/\\]v4[/\\]locales[/\\]en\.js$/;
const languages = /[/\\]zod[/\\]v4[/\\]locales[/\\]index\.js$/;

export const smallZod: Plugin = {
  name: 'small-zod',
  setup(build) {
    build.onLoad({ filter: languages }, () => ({ contents: englishAlone }));
    build.onLoad({ filter: english, namespace: 'file' }, () => ({
      contents: ownWords,
      resolveDir: import.meta.dirname,
    }));
    build.onLoad({ filter: settings }, async ({ path }) => ({
      contents: `${await readFile(path, 'utf8')}\nconfig({ jitless: true });`,
    }));
    separateLateClients(build);
  },
};

/** Nobody here asks for the messages of the 50 others (355 KiB). */
const englishAlone = "export { default as en } from './en.js';";

/** Every door that names fields tells them in these words anyway, so that nobody would read zod's own (4 KiB). */
const ownWords =
  "import { plainWords } from '#lib/zod-messages.ts'; export default () => ({ localeError: plainWords });";

/** Gives the clients that are loaded later a copy of their own. If they shared ours, every cold start would load what they use. */
function separateLateClients({ onResolve, onLoad, resolve }: PluginBuild): void {
  onResolve({ filter: /^zod(?:\/|$)/ }, async ({ path, importer, kind, resolveDir, namespace: from }) => {
    if (from !== 'file' || !lateClients.test(importer)) return undefined;
    // From here the pattern above does not match, so this does not come back to itself.
    const found = await resolve(path, { kind, resolveDir });
    return { path: found.path, errors: found.errors, namespace, sideEffects: false };
  });
  onResolve({ filter: /^\./, namespace }, ({ path, importer }) => ({
    path: join(dirname(importer), path),
    namespace,
    sideEffects: false,
  }));
  onLoad({ filter: /\.js$/, namespace }, async ({ path }) => ({
    contents: languages.test(path) ? englishAlone : await readFile(path, 'utf8'),
  }));
}
