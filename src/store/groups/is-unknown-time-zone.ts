/**
 * Has the database refused the time zone of groups? It has a list of its own, which may lack names.
 * `22023` is `invalid_parameter_value`, and groups have no other parameter that can be invalid.
 */
export function isUnknownTimeZone(error: unknown): boolean {
  return error instanceof Error && 'sqlState' in error && error.sqlState === '22023'
}
