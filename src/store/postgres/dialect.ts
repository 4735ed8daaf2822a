import { comparedAs, type ScalarType } from '../../model/value-type.ts'
import { decimalText } from '../../query/decimal.ts'
import { foldText } from '../../query/fold-text.ts'
import type { Scalar, TextOperator } from '../../query/query-plan.ts'
import type { Binder, Dialect, JoinedTable } from '../sql/dialect.ts'
import { kindsIn } from '../sql/scalar-kind.ts'
import { textLiteral } from '../sql/text-literal.ts'
import { codePointOrder } from './code-point-order.ts'
import { datePartSql, partTextSql } from './date-part-sql.ts'
import { exactSumSql } from './exact-sum-sql.ts'
import { foldSql } from './fold-sql.ts'
import { wordsSql } from './words-sql.ts'

/** Above this, a plan for many rows is the right one. */
const maxLimitBound = 4_096

/** Nested values are read from `jsonb`; those of another type than the model says are NULL. */
export const postgresDialect: Dialect = Object.freeze({
  binder: Object.freeze<Binder>({
    scalar: (value) => value,
    // The type of a parameter follows from the column, which may hold integers only.
    needsEscape: (value) => typeof value === 'number' && !Number.isSafeInteger(value),
    escape: (value) => value,
    list: (values) => (kindsIn(values).length > 1 ? JSON.stringify(values) : arrayText(values)),
    pattern: (operator, value) => [ignoresCase(operator) ? foldText(value) : value],
    count: (limit) => (limit === Number.POSITIVE_INFINITY ? null : limit),
    limitBound: (limit) => (limit > maxLimitBound ? undefined : 2 ** Math.ceil(Math.log2(limit))),
  }),
  quote: quoteIdentifier,
  placeholder: (position) => `$${position}`,
  value: (document, names, type) => {
    const element = elementSql(document, names)
    return valueSql(element, type)
  },
  json: (document, names) => `(${elementSql(document, names)})::text`,
  instant: (value) => `${value}::timestamptz`,
  decimal: (value) => `${value}::numeric`,
  textAsJson: (value) => `to_json(${value})::text`,
  unescape: (parameter) => `${parameter}::double precision`,
  text: textCondition,
  words: wordsSql,
  list: (parameter, type, mixed) => {
    // The planner knows the length of an array, and takes JSON for a hundred values.
    const source = mixed
      ? `jsonb_array_elements(${parameter}::jsonb)`
      : `unnest(${parameter}::text[])`
    const conditions = mixed ? [`jsonb_typeof(e.value) = '${jsonTypes[type.kind]}'`] : []
    // No integer equals a fraction, or a number that no column can hold.
    if (type.kind === 'integer')
      conditions.push('e.value::numeric % 1 = 0', 'abs(e.value::numeric) < 9223372036854775807')
    const where = conditions.length === 0 ? '' : ` where ${conditions.join(' and ')}`
    const value = mixed && type.kind === 'text' ? "(e.value #>> '{}')" : 'e.value'
    return `select ${listedSql(value, type)} as value from ${source} e(value)${where}`
  },
  // `statement_timeout` and requests to cancel end long statements.
  interruptCheck: () => 'true',
  scanInRanges: undefined,
  elements: (document, names, type) => {
    const array = elementSql(document, names)
    const elements = `jsonb_array_elements(case when jsonb_typeof(${array}) = 'array' then ${array} end)`
    return `(select ${valueSql('e.value', type)} as value from ${elements} e(value))`
  },
  listWithPositions: (parameter) =>
    `select e.id, e.position from unnest(${parameter}::text[]) with ordinality e(id, position)`,
  joinInOrder: (left, right, condition) => `${left} join ${right} on ${condition}`,
  // An OFFSET keeps conditions of the statement out of the subquery.
  joinByIndex: (left, table, alias, condition) =>
    `${left} cross join lateral (select * from ${table} ${alias} where ${condition} offset 0) ${alias}`,
  joinEach: (left, right, id, query) => {
    const names = id.map((_, index) => `id${index}`)
    const isJoined = id.map((column, index) => `${column} = e.${names[index]}`).join(' and ')
    return `${left} cross join lateral (${query}) e(${names.join(', ')}) join ${right} on ${isJoined}`
  },
  joinsAnyOrder: true,
  joinRelated: joinRelatedSql,
  joinToEach: joinRelatedSql,
  joinValues: (left, query, alias) => `${left} left join lateral (${query}) ${alias} on true`,
  keepSubquery: '',
  exactSum: exactSumSql,
  quickSum: undefined,
  unitsOf: undefined,
  datePart: datePartSql,
  partText: partTextSql,
  partOfDay: undefined,
  partOfDayNumber: undefined,
  limit: (parameter) => parameter,
  // Where there is no NULL, the default order is that of primary keys.
  order: (value, direction, isNullable) =>
    isNullable
      ? `${value} ${direction} nulls ${direction === 'asc' ? 'first' : 'last'}`
      : `${value} ${direction}`,
} satisfies Dialect)

function joinRelatedSql(list: string, joined: readonly JoinedTable[]): string {
  return joined.reduce(
    (sql, { table, on, isCertain }) =>
      `${sql} ${isCertain ? 'join' : 'left join'} ${table} on ${on}`,
    list,
  )
}

function ignoresCase(operator: TextOperator): boolean {
  return operator.endsWith('IgnoringCase')
}

export function quoteIdentifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

const jsonTypes = {
  text: 'string',
  number: 'number',
  integer: 'number',
  boolean: 'boolean',
} as const satisfies Record<ScalarType['kind'], string>

const scalarTypes = {
  text: `text ${codePointOrder}`,
  number: 'double precision',
  integer: 'bigint',
  boolean: 'boolean',
} as const satisfies Record<ScalarType['kind'], string>

const formTypes = { text: undefined, instant: 'timestamptz', decimal: 'numeric' } as const

/** The element of a document; names of members are SQL strings. */
function elementSql(document: string, names: readonly string[]): string {
  return names.reduce((element, name) => `${element} -> ${textLiteral(name)}`, document)
}

/** A value of a list that the caller bound. */
function listedSql(element: string, type: ScalarType): string {
  if (type.kind === 'integer') return `(${element})::numeric::bigint`
  if (type.kind === 'text') {
    // Without a collation of its own, it compares by that of the column.
    const sqlType = formTypes[comparedAs(type) ?? 'text']
    return sqlType === undefined ? element : `${element}::${sqlType}`
  }
  return `(${element})::${scalarTypes[type.kind]}`
}

/** An array of texts, as PostgreSQL writes it. */
function arrayText(values: readonly Scalar[]): string {
  const elements = values.map((value) =>
    value === null ? 'null' : `"${String(value).replace(/["\\]/g, '\\$&')}"`,
  )
  return `{${elements.join(',')}}`
}

/** A value of stored JSON, which may be of any type. */
function valueSql(element: string, type: ScalarType): string {
  const isOfType = `jsonb_typeof(${element}) = '${jsonTypes[type.kind]}'`
  if (type.kind !== 'text') {
    const sqlType = type.kind === 'boolean' ? 'boolean' : 'double precision'
    return `(case when ${isOfType} then (${element})::${sqlType} end)`
  }
  const text = `(${element} #>> '{}')`
  const form = comparedAs(type)
  if (form) {
    const value = form === 'instant' ? instantSql(text) : decimalSql(text)
    return `(case when ${isOfType} then ${value} end)`
  }
  return `((case when ${isOfType} then ${text} end) ${codePointOrder})`
}

/** The number of a text that any program may have written; NULL if it is none. */
function decimalSql(text: string): string {
  const isDecimal = `length(${text}) <= 1000 and ${text} ~ '${decimalText.source}'`
  return `case when ${isDecimal} then ${text}::numeric end`
}

/**
 * The instant of a text that any program may have written; NULL if it is no date-time. Days are
 * added to the first of the month, because a cast refuses the 30th of February.
 */
function instantSql(text: string): string {
  const date = String.raw`\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])`
  const time = String.raw`([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d+)?)?`
  const zone = String.raw`(Z|[+-](0\d|1[0-4]):[0-5]\d)`
  const pattern = `^${date}T${time}${zone}?$`
  const days = `(substr(${text}, 9, 2)::int - 1) * interval '1 day'`
  const zoned = `case when ${text} ~ '${zone}$' then '' else 'Z' end`
  const first = `(substr(${text}, 1, 8) || '01' || substr(${text}, 11) || ${zoned})::timestamptz`
  return `case when ${text} ~ '${pattern}' then ${first} + ${days} end`
}

function textCondition(
  operator: TextOperator,
  value: string,
  [operand]: readonly string[],
): string {
  switch (operator) {
    case 'equalIgnoringCase':
      return `${foldSql(value)} = ${operand}`
    case 'containsIgnoringCase':
      return `strpos(${foldSql(value)}, ${operand}) > 0`
    case 'startsWithIgnoringCase':
      return `starts_with(${foldSql(value)}, ${operand})`
    case 'contains':
      return `strpos(${value}, ${operand}) > 0`
    case 'startsWith':
      return `starts_with(${value}, ${operand})`
    case 'endsWith':
      return `right(${value}, length(${operand})) = ${operand}`
    case 'like':
      return `${value} like ${operand} escape ''`
  }
}
