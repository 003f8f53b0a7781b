// The part of WebAssembly that the sandbox uses, since the types of Node.js have no names for it.
declare global {
  namespace WebAssembly {
    class Module {
      constructor(bytes: Uint8Array);
    }

    class Memory {
      constructor(pages: { readonly initial: number; readonly maximum: number });
      readonly buffer: ArrayBuffer;
    }

    type Imports = Readonly<Record<string, Readonly<Record<string, unknown>>>>;
    type Exports = Readonly<Record<string, unknown>>;

    class Instance {
      constructor(module: Module, imports: Imports);
      readonly exports: Exports;
    }

    function compile(bytes: Uint8Array): Promise<Module>;
  }
}

/** The compiled interpreter, which threads can share. */
export type Interpreter = WebAssembly.Module;
