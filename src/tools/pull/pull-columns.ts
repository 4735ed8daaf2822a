import { toSnakeCase } from '../../model/naming.ts'
import {
  allowsNull,
  type ColumnSchema,
  isComputed,
  isUniqueKey,
  type TableSchema,
  typeText,
  withoutDomains,
} from '../../store/read-database.ts'
import { type FieldNames, wireComment } from './field-names.ts'
import { leftToDatabase } from './left-to-database.ts'
import type { PulledMember } from './pulled-model.ts'
import { isSecretColumn } from './secret-columns.ts'
import { objectText, quoted } from './source-text.ts'
import type { TableFacts } from './table-facts.ts'
import { type CheckedSchema, type Holds, valueSchema } from './value-schema.ts'

/** A column as a field; undefined, with a note, if the store cannot keep a field in it. */
export function pullColumn(
  table: TableSchema,
  column: ColumnSchema,
  names: FieldNames,
  holds: Holds,
  facts: TableFacts,
): { readonly member: PulledMember | undefined; readonly notes: readonly string[] } {
  const checks = table.checks.filter(
    ({ columns }) => columns.length === 1 && columns[0] === column.name,
  )
  const isLarge = facts.hasLargeIntegers(table, column.name)
  const checked = valueSchema(column.type, holds, column.name, checks, isLarge)
  if (!checked)
    return {
      member: undefined,
      notes: [
        `The column '${column.name}' is left out: no field can hold the type ${typeText(column.type)}.`,
        ...(needsValue(column) ? [unsetText(column, 'a trigger sets it')] : []),
      ],
    }
  const isSecret = isSecretColumn(table, column.name)
  const isComputed = isMadeByDatabase(column)
  const schema = schemaText(checked, column, isSecret || isComputed)
  const { name, wire } = names
  const options: [string, string][] = []
  if (wire !== undefined) options.push(['wire', quoted(wire)])
  if (toSnakeCase(wire ?? name) !== column.name) options.push(['column', quoted(column.name)])
  if (column.comment !== undefined) options.push(['description', quoted(column.comment)])
  if (isSecret) options.push(['hidden', 'true'])
  else if (isComputed) options.push(['readOnly', 'true'])
  if (isUniqueKey(table, [column.name]) && isScalarSchema(schema)) options.push(['unique', 'true'])
  else if (isIndexed(table, column.name) && isScalarSchema(schema)) options.push(['index', 'true'])
  const member: PulledMember = {
    name,
    text: options.length === 0 ? schema : `field(${schema}, ${objectText(options)})`,
    uses: options.length === 0 ? 'schema' : 'field',
    scalar: checked.scalar?.name,
    comment: isSecret
      ? 'Looks like a secret, so clients neither see nor set it.'
      : wireComment(names),
  }
  return {
    member,
    notes: [
      ...(isSecret && needsValue(column)
        ? [unsetText(column, `a trigger sets it, or its field has a default or is 'writeOnly'`)]
        : []),
      ...(isComputed && !isSecret && needsValue(column)
        ? [unsetText(column, 'a trigger sets it')]
        : []),
      ...checked.databaseChecks.map(({ name: check }) => leftToDatabase(check)),
    ],
  }
}

/** A trigger makes the words of a text for a search, where the column does not. */
function isMadeByDatabase(column: ColumnSchema): boolean {
  if (isComputed(column)) return true
  const base = withoutDomains(column.type)
  return base.kind === 'base' && base.name === 'tsvector'
}

/** Does an insert without a value for this column fail? */
function needsValue(column: ColumnSchema): boolean {
  return !allowsNull(column) && column.default === undefined && column.generated === 'never'
}

function unsetText({ name }: ColumnSchema, exception: string): string {
  return `The column '${name}' needs a value, which clients cannot send: every POST is 422, unless ${exception}.`
}

function schemaText(
  { text, scalar }: CheckedSchema,
  column: ColumnSchema,
  isOptional: boolean,
): string {
  const absence = absenceOf(column, isOptional)
  if (!scalar) return text + zodAbsence[absence]
  const { name, digits } = scalar
  const options = scalarAbsence[absence]
  return `${name}(${[...digits, ...(options === '' ? [] : [options])].join(', ')})`
}

type Absence = 'required' | 'optional' | 'nullish' | 'nullByDefault'

/** A column that gets a value by itself may be left out of a request. */
function absenceOf(column: ColumnSchema, isOptional: boolean): Absence {
  const hasValue = column.default !== undefined || column.generated === 'identityByDefault'
  if (allowsNull(column)) return hasValue || isOptional ? 'nullish' : 'nullByDefault'
  return hasValue || isOptional ? 'optional' : 'required'
}

const zodAbsence: Readonly<Record<Absence, string>> = {
  required: '',
  optional: '.optional()',
  nullish: '.nullish()',
  nullByDefault: '.nullable().default(null)',
}

const scalarAbsence: Readonly<Record<Absence, string>> = {
  required: '',
  optional: '{ optional: true }',
  nullish: '{ nullable: true, optional: true }',
  nullByDefault: '{ nullable: true, default: null }',
}

export function isScalarSchema(schema: string): boolean {
  return !schema.startsWith('z.array') && !schema.startsWith('z.unknown')
}

function isIndexed({ indexes }: TableSchema, column: string): boolean {
  return indexes.some(
    ({ keys, predicate, isValid, method }) =>
      isValid &&
      method === 'btree' &&
      predicate === undefined &&
      keys.length === 1 &&
      keys[0]!.column === column,
  )
}
