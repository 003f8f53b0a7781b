// CSS Modules, which esbuild compiles: the names of the classes.
declare module '*.module.css' {
  const classes: Readonly<Record<string, string>>;
  // biome-ignore lint/style/noDefaultExport: esbuild exports the classes under this name.
  export default classes;
}
declare module '*.css';
