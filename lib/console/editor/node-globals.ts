// The globals of Node.js that the engine uses, for browsers: the build of the flow worker puts them in their place.
// The file names the package: without it, this is the module of Node.js.
import { Buffer as PlainBuffer } from 'buffer/index.js';

export const Buffer = addBase64Url(PlainBuffer);

/** The package lacks this encoding. */
function addBase64Url(plain: typeof PlainBuffer): typeof PlainBuffer {
  const { toString: write } = plain.prototype;
  plain.prototype.toString = function (this: PlainBuffer, encoding?: string, ...range: number[]): string {
    if (encoding !== 'base64url') return write.call(this, encoding, ...range);
    const text = write.call(this, 'base64', ...range);
    return text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
  };
  return plain;
}

export const setImmediate = (task: () => void): void => {
  globalThis.setTimeout(task, 0);
};
