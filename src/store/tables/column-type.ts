import type { OwnedRelation, ValueField } from '../../model/model-description.ts'
import type { ResourceField } from '../../model/resource-field.ts'
import { comparedAs, type DecimalDigits } from '../../model/value-type.ts'
import type { NativeForm } from '../sql/table.ts'

/** The types of columns in tables that a store makes. */
export type ColumnType =
  | 'text'
  | 'date'
  | 'instant'
  | 'decimal'
  | 'uuid'
  | 'integer'
  | 'number'
  | 'boolean'
  | 'json'
  /** An array of texts. */
  | 'texts'
  /** Of an item, or of a related one. */
  | 'id'

/**
 * What the raw values of a column are: the texts that are its values, texts of integers or numbers,
 * which are values if they are exact in JavaScript, texts of valid JSON, or anything else.
 */
type RawForm = 'text' | 'integer' | 'number' | 'json' | 'other'

/** How an engine keeps values of one type. */
export interface ColumnCodec {
  /** The type in SQL, with its collation. */
  readonly sql: string
  /** The type of a new column that keeps so many digits; undefined where `sql` is that. */
  sized?(digits: DecimalDigits): string
  /** How the column compares. JSON does not. */
  readonly form: NativeForm
  /** A text that compares by code point; undefined if the column has none. */
  codePoints?(value: string): string
  /** The condition that a value of the column is an id; undefined if all but NULL are. */
  isId?(column: string): string
  /** The column in a form that `decode` reads. */
  select(column: string): string
  /**
   * The column as JSON: byte for byte what JavaScript writes of the value that `decode` returns,
   * and NULL where `select` is. Undefined where the database cannot write it so. A codec with
   * another `decode` has another one.
   */
  readonly json?: ((column: string) => string) | undefined
  /** The column as JSON that conditions read members of; undefined if it is that. */
  document?(column: string): string
  /** A value of an item as a parameter. It is never null or undefined. */
  encode(value: unknown): unknown
  /** The form of what the driver returns. A codec with another `decode` may have another form. */
  readonly rawForm: RawForm
  /** The value of an item, from what the driver returns. It is never null. */
  decode(raw: unknown): unknown
  /**
   * A text that a condition compares with, in the form of the column; undefined if no value of the
   * column can equal it.
   */
  canonical(text: string): string | undefined
}

export type ColumnCodecs = Readonly<Record<ColumnType, ColumnCodec>>

export function columnTypeOf(field: ValueField | ResourceField | OwnedRelation): ColumnType {
  if (field.kind === 'resource') return 'json'
  if (field.kind !== 'value') return 'id'
  const { type } = field
  switch (type.kind) {
    case 'text':
      if (type.values) return 'text'
      if (comparedAs(type)) return comparedAs(type)!
      return type.format === 'date' || type.format === 'uuid' ? type.format : 'text'
    case 'integer':
    case 'number':
    case 'boolean':
      return type.kind
    case 'array':
      return type.items.kind === 'text' ? 'texts' : 'json'
    default:
      return 'json'
  }
}
