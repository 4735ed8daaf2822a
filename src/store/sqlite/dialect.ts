import { comparedAs, type ScalarType } from '../../model/value-type.ts'
import { foldText } from '../../query/fold-text.ts'
import type { TextOperator } from '../../query/query-plan.ts'
import type { Binder } from '../sql/dialect.ts'
import type { DocumentDialect } from '../sql/document-dialect.ts'
import { rowSql } from '../sql/row-value.ts'
import { textLiteral } from '../sql/text-literal.ts'
import { datePartSql, partOfDayNumberSql, partOfDaySql } from './date-part-sql.ts'
import { decimalSql } from './decimal-sql.ts'
import { exactSumSql, quickSumSql, summedUnitsSql } from './exact-sum-sql.ts'
import { instantSql } from './instant-sql.ts'
import { scanRangesSql } from './scan-ranges-sql.ts'

/** The SQL function that is called between rows; it throws to abort the statement. */
export const interruptCheckFunction = 'check_interrupt'

/**
 * The SQL function that is called with the size of each longer text; it throws above the byte
 * limit.
 */
export const countBytesFunction = 'count_bytes'

/** The SQL function that computes `foldText` (`query/fold-text.ts`). */
export const foldFunction = 'fold_text'

/** The SQL function that computes `wordsOf` (`query/search-words.ts`). */
export const wordsFunction = 'words_of'

const minCountedBytes = 2_048

/** Texts of rows that take microseconds to compare. */
const maxShortTextBytes = 2_048

/**
 * Text compares by its bytes (BINARY), which is the order of code points. JSON's true and false
 * read as 1 and 0.
 */
export const sqliteDialect: DocumentDialect = Object.freeze({
  binder: Object.freeze<Binder>({
    scalar: (value) => (typeof value === 'boolean' ? Number(value) : value),
    needsEscape(value) {
      // SQLite ends text at NUL; the driver replaces lone surrogates and rounds numbers near zero
      // to zero.
      if (typeof value === 'string') return value.includes('\0') || /\p{Surrogate}/u.test(value)
      return typeof value === 'number' && value !== 0 && Math.abs(value) < 1e-9
    },
    escape: (value) => JSON.stringify(value),
    list: (values) => JSON.stringify(values),
    pattern: patternOf,
    count: (limit) => (limit > Number.MAX_SAFE_INTEGER ? -1 : limit),
  }),
  quote: quoteIdentifier,
  placeholder: (position) => `?${position}`,
  value: (document, names, type) => {
    const value = `${document} ->> ${jsonPathSql(names)}`
    return comparableSql(isNumberType(type) ? value : `(${value})`, type)
  },
  json: (document, names) => `${document} -> ${jsonPathSql(names)}`,
  instant: instantSql,
  decimal: decimalSql,
  textAsJson: (value) => `json_quote(${value})`,
  unescape: (parameter) => `(${parameter} ->> '$')`,
  text: textCondition,
  words: (texts, alias) => {
    const words = texts.map((text, index) => `${wordsFunction}(${text}) as w${index}`)
    return `(select ${words.join(', ')} limit -1) ${alias}`
  },
  list: (parameter, type, mixed) => {
    const types = isNumberType(type)
      ? "'integer', 'real'"
      : type.kind === 'text'
        ? "'text'"
        : "'true', 'false'"
    const value = comparableSql('value', type)
    const named = value === 'value' ? value : `${value} as value`
    return `select ${named} from json_each(${parameter})${mixed ? ` where type in (${types})` : ''}`
  },
  interruptCheck: (searched, { alias, number, column = '', isOneOfFew = false }) => {
    const check = `${interruptCheckFunction}(${column})`
    if (searched === 'related') return check
    // To mix the number of a row takes less time than `random()`, which takes a third of the
    // time of the function. `octet_length` does not read the text. A few thousand short rows take
    // less time than an interrupt has to wait for.
    const skips =
      number !== undefined
        ? `${mixed(number)} % 61`
        : isOneOfFew
          ? `octet_length(${alias}."text") < ${maxShortTextBytes}`
          : 'random() & 63'
    return `(${searched === 'own' ? `octet_length(${alias}."text") < 4096 and ` : ''}${skips} or ${check})`
  },
  scanInRanges: (table, alias, order) =>
    scanRangesSql(`${interruptCheckFunction}()`, table, alias, order),
  elements: (document, names, type) => {
    const value = comparableSql('value', type)
    // For a value that is not an array, json_each returns one row whose key is not a number.
    return `(select ${value} as value from json_each(${document}, ${jsonPathSql(names)}) where typeof(key) = 'integer')`
  },
  // SQLite prepares a statement again for each value bound to a plain LIMIT, which can cost more
  // than reading a page.
  limit: (parameter) => `${parameter} + 0`,
  order: (value, direction) => `${value} ${direction}`,
  listWithPositions: (parameter) =>
    `select value as id, key as position from json_each(${parameter})`,
  // SQLite keeps the order of a cross join.
  joinInOrder: (left, right, condition) => `${left} cross join ${right} on ${condition}`,
  joinByIndex: (left, table, alias, condition) =>
    `${left} cross join ${table} ${alias} on ${condition}`,
  joinEach: (left, right, id, query) =>
    `${left} cross join ${right} on ${rowSql(id)} in (${query})`,
  joinsAnyOrder: false,
  joinRelated: (list, joined) => {
    const tables = [list, ...joined.map(({ table }) => table)].reverse()
    return `${tables.join(' cross join ')} on ${joined.map(({ on }) => on).join(' and ')}`
  },
  // SQLite keeps the order of a left join.
  joinToEach: (list, joined) =>
    joined.reduce((sql, { table, on }) => `${sql} left join ${table} on ${on}`, list),
  // A BLOB of a column of another program cannot be part of JSON.
  joinValues: (left, query, alias) =>
    `${left} left join json_each((select json_group_array(value) from (${query}) where typeof(value) <> 'blob')) ${alias}`,
  keepSubquery: ' limit -1',
  exactSum: exactSumSql,
  quickSum: quickSumSql,
  unitsOf: summedUnitsSql,
  datePart: datePartSql,
  partText: undefined,
  partOfDay: partOfDaySql,
  partOfDayNumber: partOfDayNumberSql,
  // Short texts are not counted; the number of rows bounds them.
  byteLimitCheck: (bytes) =>
    `iif(${bytes} < ${minCountedBytes}, true, ${countBytesFunction}(${bytes}))`,
  joinTexts: (text, separator, filter) =>
    `group_concat(${text}, '${separator}')${filter === undefined ? '' : ` filter (where ${filter})`}`,
  jsonArray: (value) => `json_group_array(${value})`,
  bytes: (text) => `cast(${text} as blob)`,
  // SQLite ignores case in identifiers, models do not: `pageCount` becomes `page^count`. The prefix
  // `sqlite_` is reserved.
  identifier: (name) => name.replace(/[A-Z]|^(?=sqlite_)/g, (letter) => `^${letter.toLowerCase()}`),
  // REAL makes integers compare as JavaScript numbers; without a type a value is not converted.
  columnType: (type) => (isNumberType(type) ? 'real' : ''),
  columnValue: (document, names, type) => {
    const value = `(${document} ->> ${jsonPathSql(names)})`
    return inComparedForm(value, type)
  },
} satisfies DocumentDialect)

export function quoteIdentifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

/** A JSON path as an SQL string. Each label is quoted, so that dots in it have no meaning. */
export function jsonPathSql(names: readonly string[]): string {
  const path = names.map((name) => `.${JSON.stringify(name)}`).join('')
  return textLiteral(`$${path}`)
}

/**
 * A number that differs for rows whose numbers a program counts by any step, also by 61. The prime
 * and the factor are those of a generator of random numbers (Lehmer); products are below 2^61.
 */
function mixed(number: string): string {
  return `${number} % 2147483647 * 742938285 % 2147483647`
}

/** Integers beyond 2^53 compare exactly in SQLite, but as doubles in JavaScript. */
function comparableSql(value: string, type: ScalarType): string {
  if (isNumberType(type)) return `cast(${value} as real)`
  return inComparedForm(value, type)
}

function inComparedForm(value: string, type: ScalarType): string {
  const form = comparedAs(type)
  return form === undefined ? value : comparedForms[form](value)
}

const comparedForms = { instant: instantSql, decimal: decimalSql }

function isNumberType(type: ScalarType): boolean {
  return type.kind === 'number' || type.kind === 'integer'
}

function textCondition(
  operator: TextOperator,
  value: string,
  [first, second]: readonly string[],
): string {
  const folded = `${foldFunction}(${value})`
  switch (operator) {
    case 'equalIgnoringCase':
      return `${folded} = ${first}`
    case 'containsIgnoringCase':
      return `instr(${folded}, ${first}) > 0`
    case 'startsWithIgnoringCase':
      return `substr(${folded}, 1, length(${first})) = ${first}`
    case 'contains':
      return `instr(${value}, ${first}) > 0`
    case 'startsWith':
      return `${value} >= ${first} and ${value} < ${second}`
    case 'endsWith':
      // By bytes: text functions stop at NUL. `substr` of an empty blob is NULL.
      return `ifnull(substr(cast(${value} as blob), -length(cast(${first} as blob))) = cast(${first} as blob), false)`
    case 'like':
      return `${value} glob ${first}`
  }
}

function patternOf(operator: TextOperator, value: string): readonly string[] {
  switch (operator) {
    case 'equalIgnoringCase':
    case 'containsIgnoringCase':
    case 'startsWithIgnoringCase':
      return [foldText(value)]
    case 'contains':
    case 'endsWith':
      return [value]
    case 'startsWith':
      return [value, successor(value)]
    case 'like':
      return [value.replace(/[*?[]/g, '[$&]').replace(/%+/g, '*').replaceAll('_', '?')]
  }
}

const lastCharacter = '\u{10FFFF}'

/** The least text that is greater than every text with the prefix. */
function successor(prefix: string): string {
  const characters = Array.from(prefix)
  while (characters.at(-1) === lastCharacter) characters.pop()
  const last = characters.pop()
  if (last === undefined) return lastCharacter.repeat(64)
  const next = last.codePointAt(0)! + 1
  return characters.join('') + String.fromCodePoint(next >= 0xd800 && next < 0xe000 ? 0xe000 : next)
}
