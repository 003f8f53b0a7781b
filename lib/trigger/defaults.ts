// What a trigger says in place of its caller, where the caller says nothing.
import type { JsonObject } from '#lib/json/json.ts';
import type { StoredTrigger } from './stored-trigger.ts';

export interface Opening {
  readonly message: string;
  readonly user_variables: JsonObject;
}

/** A flow's own trigger says nothing. */
export const defaultsOf = (trigger: StoredTrigger | undefined): Opening => ({
  message: trigger?.message ?? '',
  user_variables: trigger?.user_variables === undefined ? {} : JSON.parse(trigger.user_variables),
});

/** An empty message is none; of a variable that both name, the caller's value counts. */
export const withDefaults = (
  defaults: Opening,
  said: { readonly message: string; readonly user_variables?: JsonObject | undefined },
): Opening => ({
  message: said.message || defaults.message,
  user_variables: { ...defaults.user_variables, ...said.user_variables },
});
