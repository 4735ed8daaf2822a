import { type OptionChecks, wholeNumber } from '../../model/check-options.ts'
import { type ScanOptions, scanOptions } from './scan-limits.ts'

/** Options of both layouts. */
export interface SqliteFileOptions extends ScanOptions {
  /**
   * What a settled write survives: `full` a power cut, `normal` the end of the process, at a sixth
   * of the cost. Default: `full`.
   */
  readonly durability?: 'full' | 'normal'
}

/** Each item is one JSON text: the fastest layout. */
export interface SqliteDocumentsOptions extends SqliteFileOptions {
  /** Default: `documents`. */
  readonly layout?: 'documents'
  /** Full scans of tables with more rows run in a worker thread. Default: 5 000. */
  readonly largeTableRows?: number
}

/** Each field has a column, and other programs may read and write the tables. */
export interface SqliteTablesOptions extends SqliteFileOptions {
  /** Ordinary tables. */
  readonly layout: 'tables'
  /**
   * May the store change tables? With `false` it sends no statement that changes a schema, and
   * opens only if the tables fit the models. Default: true, unless a table of the models exists
   * that the store did not make.
   */
  readonly manage?: boolean
  /**
   * Keeps clients from verifying guesses of hidden values against the versions of items. All
   * processes need the same, of at least 16 characters. Default: a random one, kept in the table
   * `resourcery_settings`; where no store manages the tables, each process makes one, and its tags
   * differ from those of others.
   */
  readonly versionSecret?: string
  /** Does the store add foreign keys for relations? Default: true. */
  readonly foreignKeys?: boolean
}

export type SqliteOptions = SqliteDocumentsOptions | SqliteTablesOptions

const commonOptions: OptionChecks<SqliteFileOptions> = {
  durability: ['full', 'normal'],
  ...scanOptions,
}

export const documentsOptions: OptionChecks<SqliteDocumentsOptions> = {
  ...commonOptions,
  layout: ['documents'],
  largeTableRows: wholeNumber(0),
}

export const tablesOptions: OptionChecks<SqliteTablesOptions> = {
  ...commonOptions,
  layout: ['tables'],
  manage: 'boolean',
  versionSecret: true,
  foreignKeys: 'boolean',
}
