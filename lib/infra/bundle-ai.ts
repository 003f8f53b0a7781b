// Leaves the client of the AI Gateway (90 KiB) out of the model client. The SDK uses it for models that are named by a
// text alone; `lib/model` always passes a model of a provider. The measurements are in
// docs/decisions/0031-bundle-rewrites.md.
import type { Plugin } from 'esbuild';

const gateway = /[/\\]@ai-sdk[/\\]gateway[/\\]dist[/\\]index\.js$/;

export const smallAi: Plugin = {
  name: 'small-ai',
  setup({ onLoad }) {
    onLoad({ filter: gateway }, () => ({ contents: absent }));
  },
};

/** The SDK asks of each error whether it is one of the gateway. */
const absent = `
class GatewayError extends Error { static isInstance() { return false; } }
const refuse = () => { throw new Error('A model is named without its provider.'); };
export { GatewayError, GatewayError as GatewayAuthenticationError, refuse as createGateway, refuse as gateway };`;
