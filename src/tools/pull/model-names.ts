import { singularize } from 'inflection'
import { isMemberName, pluralOf } from '../../model/naming.ts'
import type { TableSchema } from '../../store/read-database.ts'
import { capitalize } from '../../text/message-text.ts'
import { toCamelCase } from './names.ts'

/** What a model is called. No two models share one of these names. */
export interface ModelNames {
  readonly name: string
  readonly plural: string
  readonly className: string
  /** Without its extension. */
  readonly file: string
}

/**
 * The names of the models of tables, in the same order. Where tables of several schemas have the
 * same name, that of the schema `public` gets it, and the others the name of their schema before
 * it.
 */
export function modelNames(tables: readonly TableSchema[]): readonly ModelNames[] {
  const isPublic = ({ schema }: TableSchema) => schema === 'public'
  const ordered = [...tables.filter(isPublic), ...tables.filter((table) => !isPublic(table))]
  const names = namesInOrder(ordered)
  return tables.map((table) => names[ordered.indexOf(table)]!)
}

/** The first table of several that would have the same name gets it. */
function namesInOrder(tables: readonly TableSchema[]): readonly ModelNames[] {
  // `hash` and `id` are members of every model.
  const takenNames = new Set(['id', 'hash'])
  // JSON:API has its Atomic Operations at this path.
  const takenPlurals = new Set(['operations'])
  const takenClasses = new Set(builtIns)
  const takenFiles = new Set(['index', 'service'])
  return tables.map((table) => {
    const singular = singularOf(toCamelCase(table.name))
    const inSchema = toCamelCase(`${table.schema ?? 'other'} ${singular}`)
    const name = take(
      takenNames,
      [singular, inSchema].filter(isModelName),
      isModelName(singular) ? singular : `table${capitalize(singular)}`,
    )
    // A model must differ from its plural, as 'news' does not.
    const plurals = [pluralOf(name)].filter((plural) => plural !== name && isMemberName(plural))
    const className = capitalize(name)
    const file = toFileName(name)
    return {
      name,
      plural: take(takenPlurals, plurals, `${name}Items`),
      className: take(takenClasses, [className], `${className}Model`),
      file: take(takenFiles, [file], `${file}-model`),
    }
  })
}

/** The generated files, or those who edit them, need what these names mean. */
const builtIns = [
  'array',
  'boolean',
  'date',
  'error',
  'function',
  'map',
  'number',
  'object',
  'promise',
  'set',
  'string',
  'symbol',
]

/**
 * The first of the names that is free, else the other one, with a number if it is taken too. Case
 * does not count: operation ids and the names of files must differ by more.
 */
function take(taken: Set<string>, names: readonly string[], other: string): string {
  const isFree = (name: string) => !taken.has(name.toLowerCase())
  let name = names.find(isFree) ?? other
  for (let number = 2; !isFree(name); number++) name = other + number
  taken.add(name.toLowerCase())
  return name
}

/** Puts the last word into the singular. */
function singularOf(name: string): string {
  const start = name.search(/[A-Z][^A-Z]*$/)
  if (start <= 0) return singularize(name)
  return name.slice(0, start) + capitalize(singularize(name.slice(start).toLowerCase()))
}

/** `bookCategory` becomes `book-category`. */
function toFileName(name: string): string {
  return name.replaceAll(/([a-z0-9])([A-Z])/g, '$1-$2').toLowerCase()
}

function isModelName(name: string): boolean {
  return /^[a-z]/.test(name) && isMemberName(name)
}
