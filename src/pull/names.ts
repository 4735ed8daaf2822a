import { singularize } from 'inflection'
import { capitalize, isMemberName, pluralOf } from '../model/naming.ts'
import type { TableSchema } from '../store/tables/schema/database-schema.ts'

/** `page_count`, `Page Count` and `PageCount` become `pageCount`. */
export function toCamelCase(name: string): string {
  const [first = '', ...others] = name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .split(/[^A-Za-z0-9]+/)
    .filter((word) => word !== '')
    .map((word) => word.toLowerCase())
  return first + others.map(capitalize).join('')
}

/** `bookCategory` becomes `book-category`. */
export function toFileName(name: string): string {
  return name.replaceAll(/([a-z0-9])([A-Z])/g, '$1-$2').toLowerCase()
}

/** The name of the model of a table: its last word in the singular. */
export function modelName(table: TableSchema, taken: ReadonlySet<string>): string {
  const name = singular(toCamelCase(table.name))
  const candidates = [name, toCamelCase(`${table.schema ?? 'other'} ${name}`)]
  const free = candidates.find((candidate) => isFree(candidate, taken) && isClassName(candidate))
  return free ?? numbered(`${isClassName(name) ? name : `table${capitalize(name)}`}`, taken)
}

/** The name of a field: the first of the candidates that no other field has. */
export function memberName(candidates: readonly string[], taken: ReadonlySet<string>): string {
  const names = candidates.map(toCamelCase)
  const free = names.find((name) => isFree(name, taken) && isMemberName(name))
  return free ?? numbered(/^[a-z]/.test(names[0]!) ? names[0]! : 'column', taken)
}

export function pluralName(name: string): string {
  return pluralOf(name)
}

function singular(name: string): string {
  const start = name.search(/[A-Z][^A-Z]*$/)
  if (start <= 0) return singularize(name)
  return name.slice(0, start) + capitalize(singularize(name.slice(start).toLowerCase()))
}

/** `hash` and `id` are members of every model. */
const reserved = new Set(['id', 'hash'])

function isFree(name: string, taken: ReadonlySet<string>): boolean {
  return name !== '' && !taken.has(name) && !reserved.has(name)
}

function isClassName(name: string): boolean {
  return /^[a-z]/.test(name) && isMemberName(name)
}

function numbered(name: string, taken: ReadonlySet<string>): string {
  for (let number = 2; ; number++) if (isFree(name + number, taken)) return name + number
}
