import type { StatementResult } from '../tables/sql-database.ts'

/** The columns of a row as the server writes them: values are text, so that none loses digits. */
export type Row = readonly (string | null)[]

export interface PostgresResult extends StatementResult {
  readonly rows: readonly Row[]
  /** What the server has done, such as `SELECT` or `ROLLBACK`. */
  readonly command: string
}

/** A value as it is sent: text, or bytes for `bytea`. */
export type WireValue = string | Buffer | null

/**
 * @throws TypeError for values that have no form in SQL, such as objects; JSON is sent as text
 */
export function toWireValue(value: unknown): WireValue {
  switch (typeof value) {
    case 'string':
      return value
    case 'number':
    case 'bigint':
    case 'boolean':
      return String(value)
  }
  if (value === null || value === undefined) return null
  if (value instanceof Uint8Array)
    return Buffer.from(value.buffer, value.byteOffset, value.byteLength)
  if (Array.isArray(value)) return toArrayLiteral(value)
  throw new TypeError('A parameter of a statement must be a scalar, bytes or an array.')
}

/** An array of scalars as PostgreSQL reads it, for `= any ($1::text[])`. */
function toArrayLiteral(values: readonly unknown[]): string {
  const elements = values.map((value) => {
    const text = toWireValue(value)
    if (text === null) return 'null'
    if (typeof text !== 'string' || Array.isArray(value))
      throw new TypeError('The elements of an array must be scalars.')
    return `"${text.replace(/["\\]/g, '\\$&')}"`
  })
  return `{${elements.join(',')}}`
}
