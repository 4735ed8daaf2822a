import { type OptionChecks, wholeNumber } from '../../model/check-options.ts'
import { type TablesOptions, tablesOptionChecks } from '../tables/tables-options.ts'
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
export interface SqliteTablesOptions extends SqliteFileOptions, TablesOptions {
  /** Ordinary tables. */
  readonly layout: 'tables'
}

export type SqliteOptions = SqliteDocumentsOptions | SqliteTablesOptions

const commonOptions: OptionChecks<SqliteFileOptions> = {
  durability: ['full', 'normal'],
  ...scanOptions,
}

/** `tables` has options of its own, but a message names both layouts. */
type DocumentsOptions = Omit<SqliteDocumentsOptions, 'layout'> & {
  readonly layout?: 'documents' | 'tables'
}

export const documentsOptions: OptionChecks<DocumentsOptions> = {
  ...commonOptions,
  layout: ['documents', 'tables'],
  largeTableRows: wholeNumber(0),
}

export const tablesOptions: OptionChecks<SqliteTablesOptions> = {
  ...commonOptions,
  layout: ['tables'],
  ...tablesOptionChecks,
}
