// Leaves out of the authorization server what it does not use: the table of all media types, which koa brings twice
// (280 KiB), and the pages and the endpoints of oidc-provider that are switched off: of credentials, introspection and
// user info (30 KiB). The measurements are in docs/decisions/0031-bundle-rewrites.md. It also keeps the names
// of classes: oidc-provider stores its models under the names of their classes, which minification shortens.
import { readFile } from 'node:fs/promises';
import type { Plugin } from 'esbuild';

const mediaTypes = /[/\\]mime-db[/\\]db\.json$/;
const switchedOff =
  /[/\\]oidc-provider[/\\]lib[/\\](actions[/\\](credential|openid_credential_issuer|introspection|userinfo)|views[/\\]index)\.js$/;

const classFiles = /[/\\]oidc-provider[/\\]lib[/\\](helpers|models)[/\\]\w+\.js$/;
const classHead = /\bclass (\w+)( extends [\w.()]+)? \{/g;

export const smallOidc: Plugin = {
  name: 'small-oidc',
  setup({ onLoad }) {
    onLoad({ filter: mediaTypes }, () => ({ contents: JSON.stringify(used), loader: 'json' }));
    onLoad({ filter: switchedOff }, () => ({ contents: absent }));
    onLoad({ filter: classFiles }, async ({ path }) => ({
      contents: (await readFile(path, 'utf8')).replaceAll(classHead, "$& static name = '$1';"),
    }));
  },
};

/** The types of what it takes and answers, as in the table. */
const used = {
  'application/json': { source: 'iana', charset: 'UTF-8', compressible: true, extensions: ['json', 'map'] },
  'application/x-www-form-urlencoded': { source: 'iana', compressible: true },
  'text/html': { source: 'iana', compressible: true, extensions: ['html', 'htm', 'shtml'] },
  'text/plain': { source: 'iana', compressible: true, extensions: ['txt', 'text'] },
};

const absent =
  'export default undefined; export const login = undefined, interaction = undefined, layout = undefined;';
