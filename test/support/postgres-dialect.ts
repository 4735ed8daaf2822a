import { isInstant, type ScalarType } from '../../src/model/value-type.ts'
import type { Binder, Dialect } from '../../src/store/sql/dialect.ts'

/**
 * SQL for PostgreSQL, as a store on it would write it. Text columns have the collation "C", which
 * sorts by code point.
 */
export const postgresDialect: Dialect = {
  binder: {
    scalar: (value) => value,
    needsEscape: () => false,
    escape: (value) => JSON.stringify(value),
    list: (values) => JSON.stringify(values),
    pattern: (_, value) => [value],
    count: (limit) => (limit === Number.POSITIVE_INFINITY ? null : limit),
  } satisfies Binder,
  quote,
  placeholder: (position) => `$${position}`,
  value: (document, names, type) => castSql(`${elementSql(document, names)} #>> '{}'`, type),
  json: (document, names) => `(${elementSql(document, names)})::text`,
  instant: (value) => `instant_key(${value}::text)`,
  textAsJson: (value) => `to_json(${value})::text`,
  unescape: (parameter) => `(${parameter}::jsonb #>> '{}')`,
  text: (operator, value, [operand]) => {
    switch (operator) {
      case 'contains':
        return `strpos(${value}, ${operand}) > 0`
      case 'startsWith':
        return `starts_with(${value}, ${operand})`
      case 'endsWith':
        return `right(${value}, length(${operand})) = ${operand}`
      case 'like':
        return `${value} like ${operand} escape ''`
    }
  },
  list: (parameter, type, mixed) => {
    const jsonType = isNumber(type) ? 'number' : type.kind === 'text' ? 'string' : 'boolean'
    const where = mixed ? ` where jsonb_typeof(e.value) = '${jsonType}'` : ''
    return `select ${castSql("e.value #>> '{}'", type)} as value from jsonb_array_elements(${parameter}::jsonb) e${where}`
  },
  // `statement_timeout` and cancel requests end long statements.
  interruptCheck: () => 'true',
  byteLimitCheck: () => 'true',
  elements: (document, names, type) => {
    const array = elementSql(document, names)
    const elements = `jsonb_array_elements(case when jsonb_typeof(${array}) = 'array' then ${array} end)`
    return `(select ${castSql("e.value #>> '{}'", type)} as value from ${elements} e)`
  },
  listWithPositions: (parameter) =>
    `select e.id, e.position from jsonb_array_elements_text(${parameter}::jsonb) with ordinality e(id, position)`,
  joinInOrder: (left, right, condition) => `${left} join ${right} on ${condition}`,
  joinEach: (left, right, id, query) =>
    `${left} cross join lateral (${query}) e(id) join ${right} on ${id} = e.id`,
  joinTexts: (text, separator, filter) =>
    `string_agg(${text}::text, '${separator}')${filter === undefined ? '' : ` filter (where ${filter})`}`,
  jsonArray: (value) => `json_agg(${value})::text`,
  bytes: (text) => `convert_to(${text}, 'UTF8')`,
  limit: (parameter) => parameter,
  // Where there is no NULL, the default order is that of primary keys.
  order: (value, direction, isNullable) =>
    isNullable
      ? `${value} ${direction} nulls ${direction === 'asc' ? 'first' : 'last'}`
      : `${value} ${direction}`,
  identifier: (name) => name,
  columnType,
  columnValue: (document, names, type) =>
    `(${castSql(`${elementSql(`${document}::text`, names)} #>> '{}'`, type)})`,
}

function quote(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

function elementSql(document: string, names: readonly string[]): string {
  return names.reduce(
    (element, name) => `${element} -> '${name.replaceAll("'", "''")}'`,
    `${document}::jsonb`,
  )
}

function castSql(text: string, type: ScalarType): string {
  if (isInstant(type)) return `instant_key(${text})`
  return type.kind === 'text' ? `((${text}) collate "C")` : `(${text})::${columnType(type)}`
}

function columnType(type: ScalarType): string {
  if (isNumber(type)) return 'double precision'
  return type.kind === 'boolean' ? 'boolean' : 'text collate "C"'
}

function isNumber(type: ScalarType): boolean {
  return type.kind === 'number' || type.kind === 'integer'
}
