import type { ScalarType } from '../../model/value-type.ts'
import type { Dialect } from './dialect.ts'

/** What an engine needs besides, to keep each item as a document in a row. */
export interface DocumentDialect extends Dialect {
  /**
   * A condition that is always true, evaluated for each row whose text is returned: an engine can
   * abort a statement above its byte limit there. `bytes` is the size of the text.
   */
  byteLimitCheck(bytes: string): string
  /** An aggregate that joins texts in the order of the rows that satisfy the filter, if given. */
  joinTexts(text: string, separator: string, filter?: string): string
  /** An aggregate that makes a JSON array, as text. */
  jsonArray(value: string): string
  /** A text as bytes in UTF-8. */
  bytes(text: string): string
  /** An identifier that the engine tells apart from others, not yet quoted. */
  identifier(name: string): string
  /** The type of a column for values of this type; empty where the engine needs none. */
  columnType(type: ScalarType): string
  /** The value at a path in a document, as a column keeps it. It compares as `value` does. */
  columnValue(document: string, names: readonly string[], type: ScalarType): string
}
