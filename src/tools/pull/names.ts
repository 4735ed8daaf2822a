import { isMemberName } from '../../model/naming.ts'
import { capitalize } from '../../text/message-text.ts'

/** `page_count`, `Page Count` and `PageCount` become `pageCount`. */
export function toCamelCase(name: string): string {
  const [first = '', ...others] = name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .split(/[^A-Za-z0-9]+/)
    .filter((word) => word !== '')
    .map((word) => word.toLowerCase())
  return first + others.map(capitalize).join('')
}

/** The name of a field: the first of the candidates that no other field has. */
export function memberName(candidates: readonly string[], taken: ReadonlySet<string>): string {
  const names = candidates.map(toCamelCase)
  const free = names.find((name) => isFree(name, taken) && isMemberName(name))
  return free ?? numbered(/^[a-z]/.test(names[0]!) ? names[0]! : 'column', taken)
}

/** `hash` and `id` are members of every model. */
const reserved = new Set(['id', 'hash'])

function isFree(name: string, taken: ReadonlySet<string>): boolean {
  return name !== '' && !taken.has(name) && !reserved.has(name)
}

function numbered(name: string, taken: ReadonlySet<string>): string {
  for (let number = 2; ; number++) if (isFree(name + number, taken)) return name + number
}

/** `author_id` and `authorId` become `author`. */
export function withoutId(column: string): string {
  return column.replace(/(?:_id|Id|ID)$/, '') || column
}
