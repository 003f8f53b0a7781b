// Lets a document client put together once what the SDK puts together at each call: the middleware of a command with
// the conversion of its values, and the endpoint. The SDK's own option for that, `cacheMiddleware`, is refused by its
// document client. Middleware that is added to a client after its first call has no effect.
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';

type Stack = DynamoDBDocumentClient['middlewareStack'];
type Config = DynamoDBDocumentClient['config'];
type Handler = (command: ClientCommand) => Promise<{ readonly output: unknown }>;

/** The command of `client-dynamodb` in a command of `lib-dynamodb`. */
interface ClientCommand {
  readonly resolveMiddleware: (stack: Stack, config: Config, options: undefined) => Handler;
}
interface DocumentCommand {
  readonly clientCommand: ClientCommand;
  /** Adds what converts the values of this kind of command. */
  readonly addMarshallingMiddleware: (config: Config) => void;
}

/** Changes the client, and returns it. Calls with options, such as a signal, are made as before. */
export function prepareCommands(client: DynamoDBDocumentClient): DynamoDBDocumentClient {
  const send: (command: never, options?: object) => unknown = client.send.bind(client);
  const handlers = new Map<unknown, Handler>();
  const known: KnownEndpoint = { endpoint: undefined };
  const prepare = (command: DocumentCommand): Handler => {
    command.addMarshallingMiddleware(client.config);
    const stack = withEndpoint(client.middlewareStack, known);
    const handler = command.clientCommand.resolveMiddleware(stack, client.config, undefined);
    if (known.endpoint) handlers.set(command.constructor, handler);
    return handler;
  };
  return Object.assign(client, {
    send: async (command: object, options?: object): Promise<unknown> => {
      if (options || !isDocumentCommand(command)) return await send(command as never, options);
      const handler = handlers.get(command.constructor) ?? prepare(command);
      return (await handler(command.clientCommand)).output;
    },
  });
}

/** Both are protected members. */
export const isDocumentCommand = (command: object): command is DocumentCommand =>
  'clientCommand' in command && 'addMarshallingMiddleware' in command;

type Endpoint = ReturnType<Config['endpointProvider']>;

/** Undefined before the first call, in which the SDK finds it by the configuration, the environment and its rules. */
interface KnownEndpoint {
  endpoint: Endpoint | undefined;
}

/** Finds the endpoint of each call. All calls of a client have the same, since tables are named without an account. */
export const endpointStep = 'endpointV2Middleware';

/** A stack that gives the known endpoint to the command which joins its own middleware to it. */
function withEndpoint(stack: Stack, known: KnownEndpoint): Stack {
  const concat = (own: Stack): Stack => {
    const whole = stack.concat(own);
    if (known.endpoint) useEndpoint(whole, known.endpoint);
    else keepEndpoint(whole, known);
    return whole;
  };
  return Object.assign(stack.clone(), { concat });
}

interface Context {
  endpointV2?: Endpoint;
}

function useEndpoint(stack: Stack, endpoint: Endpoint): void {
  stack.addRelativeTo(
    <A, B>(next: (args: A) => Promise<B>, context: Context) =>
      async (args: A) => {
        context.endpointV2 = endpoint;
        return await next(args);
      },
    { name: endpointStep, relation: 'before', toMiddleware: 'serializerMiddleware', override: true },
  );
}

function keepEndpoint(stack: Stack, known: KnownEndpoint): void {
  stack.addRelativeTo(
    <A, B>(next: (args: A) => Promise<B>, context: Context) =>
      async (args: A) => {
        const { endpointV2 } = context;
        // One that says how to sign is not kept, since the step applies that too.
        if (!endpointV2?.properties?.authSchemes) known.endpoint = endpointV2;
        return await next(args);
      },
    { name: 'keepEndpoint', relation: 'after', toMiddleware: endpointStep },
  );
}
