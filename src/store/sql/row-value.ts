/**
 * Several values as one, which compare by the first pair that differs. A single value stays as it
 * is.
 */
export function rowSql(values: readonly string[]): string {
  return values.length === 1 ? values[0]! : `(${values.join(', ')})`
}
