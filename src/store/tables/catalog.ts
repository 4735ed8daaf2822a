import type { TableName } from '../../model/storage.ts'

interface CatalogColumn {
  /** As the engine writes it. */
  readonly type: string
  readonly isNullable: boolean
}

/** What a database has already. */
export interface Catalog {
  /** Undefined if there is no such table. */
  columnsOf(table: TableName): ReadonlyMap<string, CatalogColumn> | undefined
  /** The names of the indexes and constraints of the tables. */
  readonly names: ReadonlySet<string>
}
