import type { BaseType } from '../../tables/schema/database-type.ts'

/**
 * The declared type of a column, such as `VARCHAR(20)` or `decimal(10, 2)`. SQLite keeps any text
 * as a type.
 */
export function declaredType(declaration: string): BaseType {
  const [, name = '', first, second] =
    /^([^(]*?)\s*(?:\(\s*(\d+)\s*(?:,\s*(\d+)\s*)?\).*)?$/s.exec(declaration.toLowerCase()) ?? []
  const base = { kind: 'base', name: name.trim() } as const
  if (first === undefined) return base
  const length = Number(first)
  if (/char|text|clob|blob/.test(name)) return { ...base, maxLength: length }
  return { ...base, precision: length, ...(second !== undefined && { scale: Number(second) }) }
}
