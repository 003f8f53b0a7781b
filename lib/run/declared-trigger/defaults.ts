// What a trigger says in place of its caller, where the caller says nothing.
import type { JsonObject } from '#lib/json.ts';
import type { StoredTrigger } from './stored.ts';

export interface Said {
  readonly message: string;
  readonly user_variables: JsonObject;
}

/** An empty message is none; of a variable that both name, the caller's value counts. */
export function withDefaults(
  trigger: Pick<StoredTrigger, 'message' | 'user_variables'> | undefined,
  said: { readonly [Name in keyof Said]?: Said[Name] | undefined },
): Said {
  const variables: JsonObject =
    trigger?.user_variables === undefined ? {} : JSON.parse(trigger.user_variables);
  return {
    message: said.message || (trigger?.message ?? ''),
    user_variables: { ...variables, ...said.user_variables },
  };
}
