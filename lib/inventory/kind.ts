// A kind of item in the tables of a tenant, as docs/data-model.md lists them.

export interface ItemKind {
  /** Unique among the kinds of both tables. */
  readonly name: string;
  /** The whole key. Groups named `org` and `ws` are the owner. Ids have no "#". */
  readonly pk: RegExp;
  readonly sk: RegExp;
  /** Where the owner is not in the key: in the attributes `orgid` and `workspaceid`, or in those of the header of the run. */
  readonly owner?: 'attributes' | 'run' | 'row';
  /** Attributes with what callers have sent, encrypted as `lib/caller-data.ts` does. */
  readonly callerData?: readonly string[];
}

export interface ItemKey {
  readonly pk: string;
  readonly sk: string;
}

export type TableName = 'control' | 'runs';

/** An item, its kind, and what its key says. */
export interface KnownItem<Name extends string = string> {
  readonly kind: ItemKind & { readonly name: Name };
  /** Groups of the key, such as `org`. */
  readonly named: Readonly<Record<string, string>>;
}
