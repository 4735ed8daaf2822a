import type { FieldDefinition } from '../declare/field.ts'
import type { ModelOptions } from '../declare/model.ts'
import type { JoinTableOptions } from '../declare/relation.ts'
import type { ModelDescription } from '../model-description.ts'
import { toSnakeCase } from '../naming.ts'
import { RegistrationError } from '../registration-error.ts'
import type {
  ColumnStorage,
  JoinTableStorage,
  ModelStorage,
  TableName,
  VersionStorage,
} from '../storage.ts'

const maxNameBytes = 63

/** @throws RegistrationError for a name that no table or column can have */
export function describeModelStorage(
  name: string,
  plural: string,
  { table, key, order, was }: ModelOptions,
): ModelStorage {
  const subject = `the model '${name}'`
  const columns = key === undefined ? ['id'] : listOf(key)
  if (columns.length === 0)
    throw new RegistrationError(
      `The option 'key' of ${subject} must name a column, or several; got an empty array.`,
    )
  for (const column of columns) checkColumn(`The option 'key' of ${subject}`, column)
  const repeated = columns.find((column, index) => columns.indexOf(column) < index)
  if (repeated !== undefined)
    throw new RegistrationError(
      `The option 'key' of ${subject} names the column '${repeated}' twice. Name each column once.`,
    )
  return Object.freeze({
    table:
      table === undefined
        ? { schema: undefined, name: toSnakeCase(plural) }
        : parseTableName(`The option 'table' of ${subject}`, table),
    key: Object.freeze(columns),
    order: order ?? 'codePoint',
    formerNames: formerNames(subject, name, was),
  })
}

/** @param suffix what the derived name of the column ends with */
export function describeColumn(
  subject: string,
  wireName: string,
  { column, was }: { readonly column?: string; readonly was?: string | readonly string[] },
  suffix: '' | '_id' = '',
): ColumnStorage {
  if (column !== undefined) checkColumn(`The option 'column' of ${subject}`, column)
  const derived = toSnakeCase(wireName)
  return Object.freeze({
    column: column ?? (derived.endsWith(suffix) ? derived : derived + suffix),
    formerNames: formerNames(subject, wireName, was),
  })
}

export function describeVersionStorage(
  subject: string,
  { column }: { readonly column?: string },
): VersionStorage {
  if (column === undefined) return { kind: 'computed' }
  checkColumn(`The option 'column' of ${subject}`, column)
  return { kind: 'column', column }
}

/** The join table that the relation names, or one that is named after the table of the model. */
export function describeJoinTable(
  subject: string,
  { name: owner, storage }: ModelDescription,
  wireName: string,
  target: string,
  through: JoinTableOptions | undefined,
): JoinTableStorage {
  if (through === undefined) return derivedJoinTable(owner, storage.table, wireName, target)
  const option = `The option 'through' of ${subject}`
  const members = ['table', 'owner', 'target'] as const
  const isComplete =
    typeof through === 'object' && through !== null && members.every((name) => name in through)
  const unknown = isComplete && Object.keys(through).find((name) => !isOneOf(members, name))
  if (!isComplete || unknown)
    throw new RegistrationError(
      `${option} must have the members 'table', 'owner' and 'target'${unknown ? `; got '${unknown}' too` : ''}.`,
    )
  checkColumn(`The owner in ${lowerFirst(option)}`, through.owner)
  checkColumn(`The target in ${lowerFirst(option)}`, through.target)
  if (through.owner === through.target)
    throw new RegistrationError(
      `${option} names the column '${through.owner}' as owner and as target. Name two columns.`,
    )
  return Object.freeze({
    table: parseTableName(`The table in ${lowerFirst(option)}`, through.table),
    owner: through.owner,
    target: through.target,
  })
}

/** @throws RegistrationError if two fields name one column */
export function refuseSharedColumns(
  name: string,
  fields: Readonly<Record<string, FieldDefinition>>,
): void {
  const fieldsByColumn = new Map<string, string>()
  for (const [field, definition] of Object.entries(fields)) {
    const column = declaredColumn(definition)
    if (column === undefined) continue
    const other = fieldsByColumn.get(column)
    if (other !== undefined)
      throw new RegistrationError(
        `The fields '${other}' and '${field}' of the model '${name}' have the same column '${column}'.`,
      )
    fieldsByColumn.set(column, field)
  }
}

function declaredColumn(definition: FieldDefinition): string | undefined {
  if (!('options' in definition) || !definition.options) return undefined
  return 'column' in definition.options ? (definition.options.column as string) : undefined
}

function derivedJoinTable(
  owner: string,
  { schema, name }: TableName,
  wireName: string,
  target: string,
): JoinTableStorage {
  const related = `${toSnakeCase(target)}_id`
  return Object.freeze({
    table: { schema, name: `${name}_${toSnakeCase(wireName)}` },
    owner: `${toSnakeCase(owner)}_id`,
    target: owner === target ? `related_${related}` : related,
  })
}

function formerNames(
  subject: string,
  current: string,
  was: string | readonly string[] | undefined,
): readonly string[] {
  const names = was === undefined ? [] : listOf(was)
  for (const name of names) {
    if (typeof name !== 'string' || name === '')
      throw new RegistrationError(
        `The option 'was' of ${subject} must be a former name, or an array of them; got '${String(name)}'.`,
      )
    if (name === current)
      throw new RegistrationError(
        `The option 'was' of ${subject} is its present name '${name}'. Remove it.`,
      )
  }
  return Object.freeze(names)
}

function parseTableName(subject: string, name: unknown): TableName {
  const parts = typeof name === 'string' ? name.split('.') : []
  if (parts.length < 1 || parts.length > 2 || !parts.every(isName))
    throw new RegistrationError(
      `${subject} must be the name of a table, such as 'books', or of a schema and a table, such as 'public.books'; got '${String(name)}'.`,
    )
  const [schema, table] = parts.length === 2 ? parts : [undefined, parts[0]]
  return Object.freeze({ schema, name: table! })
}

function checkColumn(subject: string, name: unknown): void {
  if (!isName(name))
    throw new RegistrationError(
      `${subject} must be the name of a column, of 1 to ${maxNameBytes} bytes; got '${String(name)}'.`,
    )
}

function isName(name: unknown): boolean {
  return (
    typeof name === 'string' &&
    name !== '' &&
    !name.includes('\0') &&
    Buffer.byteLength(name) <= maxNameBytes
  )
}

function listOf<T>(value: T | readonly T[]): readonly T[] {
  return Array.isArray(value) ? [...value] : [value as T]
}

function isOneOf(names: readonly string[], name: string): boolean {
  return names.includes(name)
}

function lowerFirst(sentence: string): string {
  return sentence.charAt(0).toLowerCase() + sentence.slice(1)
}
