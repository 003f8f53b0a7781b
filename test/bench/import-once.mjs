// Imports one bundle in a fresh process and prints what that took. Plain JavaScript, so that nothing but Node
// is loaded before it. The Lambda runtime has this global before a streaming function is imported.
globalThis.awslambda = {
  streamifyResponse: (handler) => handler,
  HttpResponseStream: { from: (stream) => stream },
};
const [, , bundle] = process.argv;

const wall = performance.now();
const cpu = process.cpuUsage();
await import(bundle);
const { user, system } = process.cpuUsage(cpu);
console.log(JSON.stringify({ wallMs: performance.now() - wall, cpuMs: (user + system) / 1_000 }));
process.exit();
