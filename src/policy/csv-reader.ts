import { memoizeBy } from '../cache/memoize-by.ts'
import { refuseAll } from '../error/api-error.ts'
import type { Problem } from '../error/problem.ts'
import { refusalsOf } from '../error/refusals.ts'
import { truncate } from '../error/truncate.ts'
import { unknownName } from '../error/unknown-name.ts'
import type { FieldDescription } from '../model/model-description.ts'
import {
  isReadable,
  isWritable,
  type ModelView,
  settableFields,
  writableField,
} from '../model/model-view.ts'
import type { JsonSchema, JsonType } from '../schema/json-schema.ts'
import { csvText } from '../text/csv-cell.ts'
import type { CsvCell } from '../text/csv-record.ts'

export const csvReaderErrors = ['malformed-csv', 'unknown-column'] as const

const { problem, refuse } = refusalsOf(csvReaderErrors)

/** JSON of a cell; undefined if it leaves its member out. */
type CellReader = (cell: CsvCell) => string | undefined

/** So many unknown or repeated names are reported one by one. */
const maxWrongColumns = 20

/** How many names of a header are read: one more than a header may have. */
export const maxCsvColumns: (view: ModelView) => number = memoizeBy((view: ModelView) => {
  const fields = view.model.fields.filter(
    (field) => isReadable(view, field) || isWritable(view, field),
  )
  return 1 + fields.length + view.addedMembers.size + maxWrongColumns + 1
})

/**
 * Reads the names of the columns, and returns what makes a flat item of a record. An empty cell is
 * null where the member can be null, as in lists; elsewhere it leaves the member out.
 * @throws ApiError `unknown-column`, `malformed-csv`
 */
export function readCsvHeader(
  names: readonly string[],
  view: ModelView,
): (cells: readonly CsvCell[]) => string {
  if (names.length >= maxCsvColumns(view))
    throw refuse(
      'malformed-csv',
      `The header has more columns than the model '${view.model.name}' has members.`,
    )
  const problems: Problem[] = []
  const seen = new Set<string>()
  const columns = names.map((name, index) => {
    const cell = { line: 1, column: index + 1 }
    if (seen.has(name))
      problems.push(
        problem('malformed-csv', `Two columns are named '${truncate(name)}'.`, undefined, cell),
      )
    seen.add(name)
    const read = cellReader(name, view)
    if (!read)
      problems.push(
        problem('unknown-column', unknownColumn(name, view, problems.length), undefined, cell),
      )
    return { key: JSON.stringify(name), read: read ?? ignored }
  })
  refuseAll(problems)
  return (cells) => {
    // Cells after the first that is too many are not read.
    if (cells.length > columns.length)
      throw refuse(
        'malformed-csv',
        `The record has more cells than the header, which has ${columns.length}.`,
      )
    if (cells.length < columns.length)
      throw refuse(
        'malformed-csv',
        `The record has ${cells.length} cells; the header has ${columns.length}.`,
      )
    const members = columns.flatMap(({ key, read }, index) => {
      const value = read(cells[index]!)
      return value === undefined ? [] : [`${key}:${value}`]
    })
    return `{${members.join(',')}}`
  }
}

const ignored: CellReader = () => undefined

function unknownColumn(name: string, view: ModelView, problemCount: number): string {
  const statement = `Unknown column '${truncate(name)}' of the model '${view.model.name}'`
  const known = settableFields(view)
    .filter(({ kind }) => kind !== 'inverse')
    .map(({ wireName }) => wireName)
  return unknownName(statement, name, ['id', ...known], { problemCount })
}

/** Undefined for a name that no member has. What only responses have is left out. */
function cellReader(name: string, view: ModelView): CellReader | undefined {
  if (name === 'id') return identifier
  const field = writableField(view, name)
  if (field) return fieldReader(field)
  return view.addedMembers.has(name) ? ignored : undefined
}

function fieldReader(field: FieldDescription): CellReader | undefined {
  switch (field.kind) {
    case 'value':
      return field.visibility === 'readOnly' && !field.from
        ? ignored
        : valueReader(field.input, field.visibility === 'readOnly')
    case 'toOne':
      return field.isOptional && !field.isReadOnly ? nullableIdentifier : identifier
    case 'toMany':
      return (cell) => (isEmpty(cell) ? undefined : jsonOr(cell.text, isArray))
    case 'hash':
      return ignored
    case 'inverse':
    case 'resource':
      return undefined
  }
}

const identifier: CellReader = (cell) => (isEmpty(cell) ? undefined : JSON.stringify(cell.text))

const nullableIdentifier: CellReader = (cell) =>
  isEmpty(cell) ? 'null' : JSON.stringify(cell.text)

/** A text that is JSON of a type that the schema has is this value; all others are texts. */
function valueReader(schema: JsonSchema, isReadOnly: boolean): CellReader {
  const types = typesOf(schema)
  const has = (...some: readonly JsonType[]) => !types || some.some((type) => types.has(type))
  const isNumeric = has('number', 'integer')
  const isBoolean = has('boolean')
  const isNested = has('object', 'array')
  const empty = !isReadOnly && has('null') ? 'null' : undefined
  return (cell) => {
    if (isEmpty(cell)) return empty
    const { text } = cell
    if (isNumeric && number.test(text)) return text
    if (isBoolean && (text === 'true' || text === 'false')) return text
    return isNested ? jsonOr(text, isStructure) : JSON.stringify(csvText(text))
  }
}

const number = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/

/** The text as it is if it is such JSON, which the reader of JSON checks again; else as a text. */
function jsonOr(text: string, fits: (value: unknown) => boolean): string {
  try {
    if (fits(JSON.parse(text))) return text
  } catch {
    // The member may be a text, and is refused elsewhere if not.
  }
  return JSON.stringify(csvText(text))
}

function isArray(value: unknown): boolean {
  return Array.isArray(value)
}

function isStructure(value: unknown): boolean {
  return typeof value === 'object' && value !== null
}

function isEmpty({ text, isQuoted }: CsvCell): boolean {
  return text === '' && !isQuoted
}

/** Undefined if the schema does not say. */
function typesOf(schema: JsonSchema): ReadonlySet<JsonType> | undefined {
  const { type, anyOf, oneOf, component } = schema
  if (component) return typesOf(component.schema())
  const literals = schema.enum ?? (schema.const === undefined ? undefined : [schema.const])
  if (literals) return new Set(literals.map(typeOf))
  if (type !== undefined) return new Set([type].flat())
  const alternatives = (anyOf ?? oneOf)?.map(typesOf)
  if (!alternatives?.every((types) => types !== undefined)) return undefined
  return new Set(alternatives.flatMap((types) => [...types!]))
}

function typeOf(value: unknown): JsonType {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  const type = typeof value
  return type === 'string' || type === 'number' || type === 'boolean' ? type : 'object'
}
