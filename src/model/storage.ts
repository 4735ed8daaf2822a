/** The name of a table. Without a schema, the database finds it in its search path. */
export interface TableName {
  readonly schema: string | undefined
  readonly name: string
}

/**
 * Where stores with ordinary tables keep the items of a model. Others use the former names alone.
 */
export interface ModelStorage {
  readonly table: TableName
  /** The columns that make the id, in their order. */
  readonly key: readonly string[]
  /** How text compares: by code point, as in all stores, or by the collations of its columns. */
  readonly order: 'codePoint' | 'database'
  /** The names that the model had before. */
  readonly formerNames: readonly string[]
}

/** The column of a field in such a table. */
export interface ColumnStorage {
  readonly column: string
  /** The wire names that the field had before. */
  readonly formerNames: readonly string[]
}

/** The table that holds a to-many relation: one row for each owner and target. */
export interface JoinTableStorage {
  readonly table: TableName
  /** The column with the id of the item that has the relation. */
  readonly owner: string
  /** The column with the id of the related item. */
  readonly target: string
}

/** Where the version of an item comes from: the store computes it, or a column holds it. */
export type VersionStorage =
  | { readonly kind: 'computed' }
  | { readonly kind: 'column'; readonly column: string }
