// The build serves the worker of the layout library as a file, and gives its address.
declare module 'elkjs/lib/elk-worker.min.js' {
  const address: string;
  // biome-ignore lint/style/noDefaultExport: esbuild exports the address under this name.
  export default address;
}
