import type { ModelView } from '../model/model-view.ts'
import type { ItemPayload } from '../serializer/payload.ts'
import type { Purpose } from '../serializer/serializer.ts'
import type { CsvCell } from '../text/csv-record.ts'

/** How bodies with many items look, each on a line of its own. */
export type ItemLines = JsonItemLines | CsvItemLines

/** What both have in common. */
export interface BaseItemLines {
  readonly mediaType: string
  /** Before the pointers of the reader, which are those of a document with the line inside. */
  readonly pointerPrefix: string
  /**
   * Reads the value of a line, which is JSON.
   * @throws ApiError with every problem of form
   */
  readItem(value: unknown, view: ModelView, purpose: Purpose): ItemPayload
}

/** Each line is JSON. */
export interface JsonItemLines extends BaseItemLines {
  readonly kind: 'json'
}

/** The first record names the members, and each other one is an item (RFC 4180). */
export interface CsvItemLines extends BaseItemLines {
  readonly kind: 'csv'
  /** How many names of a header are read at most. */
  maxColumns(view: ModelView): number
  /**
   * @param names the cells of the first record
   * @returns what makes JSON of the cells of an item
   * @throws ApiError for names that no member has
   */
  readHeader(names: readonly string[], view: ModelView): (cells: readonly CsvCell[]) => string
}
