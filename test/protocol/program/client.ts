// What the scenarios ask of a client, whatever its version.
import type { Outgoing, PushTarget, WireEvent, WireTask } from './wire.ts';

export interface TestedClient {
  readonly card: TestedCard;
  readonly send: (message: Outgoing) => Promise<WireEvent>;
  readonly stream: (message: Outgoing) => AsyncGenerator<WireEvent>;
  readonly get: (id: string, historyLength?: number) => Promise<WireTask>;
  readonly cancel: (id: string) => Promise<WireTask>;
  readonly subscribe: (id: string) => AsyncGenerator<WireEvent>;
  /** The name on the extended card, and the URIs of its extensions. */
  readonly extendedCard: () => Promise<{ readonly name: string; readonly extensions: readonly string[] }>;
  /** Absent where the version of the protocol has no such operation. */
  readonly list?: (query: ListQuery) => Promise<ListedTasks>;
  readonly verifySignature?: () => Promise<void>;
  readonly push: {
    /** Resolves to the id of the configuration. */
    readonly create: (taskId: string, target: PushTarget & { readonly id: string }) => Promise<string>;
    readonly get: (taskId: string, id: string) => Promise<{ readonly url: string }>;
    readonly list: (taskId: string) => Promise<readonly string[]>;
    readonly delete: (taskId: string, id: string) => Promise<void>;
  };
  /** The notification that a receiver got, as JSON. */
  readonly readNotification: (body: unknown) => WireEvent;
  /** Which error of A2A the client recognized, such as `TASK_NOT_FOUND`. */
  readonly readReason: (error: unknown) => string;
}

export interface TestedCard {
  readonly name: string;
  readonly skills: readonly string[];
  /** The addresses of the binding and version that the client uses. */
  readonly urls: readonly string[];
}

export interface ListQuery {
  readonly contextId: string;
  readonly pageSize: number;
  readonly pageToken?: string;
}

export interface ListedTasks {
  readonly tasks: readonly WireTask[];
  readonly nextPageToken: string;
  readonly totalSize: number;
}

/** One address of an agent, for one caller. */
export interface Address {
  readonly url: string;
  /** The addresses that its card names begin with it. */
  readonly hostedUrl: string;
  readonly jwksUrl: string;
  readonly key: string;
}

/** Not offered, and the reason. */
export class NotOffered extends Error {
  override readonly name = 'NotOffered';
}
