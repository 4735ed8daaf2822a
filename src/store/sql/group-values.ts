import { plainText, type ScalarType } from '../../model/value-type.ts'
import type { GroupKey } from '../../query/group-plan.ts'
import { resolveManyPath, resolveScalarPath } from '../resolve-path.ts'
import type { Compilation } from './compilation.ts'
import { membersOf } from './compile-members.ts'
import { compileScalar } from './compile-path.ts'
import { type JoinedHop, joinPath } from './join-sort-paths.ts'
import { allOfSql, trueSql } from './logic.ts'
import { listAlias } from './row-source.ts'
import type { NativeForm, Table } from './table.ts'

/** A value of each row, with what reads it back. */
export interface GroupValue {
  readonly sql: string
  readonly type: ScalarType
  readonly native: NativeForm | undefined
  /** False only where each row has a value. */
  readonly isNullable: boolean
  /** What is read of it, as text, where that is not the value itself. */
  readonly written?: ((name: string) => string) | undefined
  /** Is it a column, or computed each time it is named? */
  readonly isColumn: boolean
}

/** A value of the listed table, and what is made of it. */
export interface MadeValue extends GroupValue {
  /** The column that it is made of; undefined where it is no column of the row. */
  readonly stored?: string | undefined
  /** @param name of the value, which costs nothing to name several times */
  made(name: string): GroupValue
  /** The same with the number of a day for most values; undefined where that takes no less time. */
  readonly madeByDay?: ((name: string) => GroupValue) | undefined
}

/** The value of a key, or the part of a date that it is. */
export function keyValue(
  compilation: Compilation,
  joined: JoinedHop[],
  table: Table,
  key: GroupKey,
): MadeValue {
  const { dialect } = compilation
  const value = scalarValue(compilation, joined, table, key.path)
  const { part, timeZone } = key
  if (!part) return value
  const { native, stored } = value
  const { partText } = dialect
  const partOf = (sql: string) => {
    const compared = value.made(sql).sql
    const instant = native?.instant?.(compared) ?? compared
    return dialect.datePart(instant, value.type, part, timeZone)
  }
  const made = (sql: string): GroupValue => ({
    sql,
    type: plainText,
    native: undefined,
    isNullable: true,
    written: partText && ((name) => partText(name, part)),
    isColumn: false,
  })
  if (!dialect.partOfDay || timeZone !== undefined || !native?.beginsWithDay || !stored)
    return { ...value, made: (name) => made(partOf(name)) }
  const { beginsWithDay, dayNumber } = native
  const { partOfDay, partOfDayNumber } = dialect
  const ofAnyForm = (name: string) =>
    `(select ${partOf('o.value')} from (select ${native.value(name)} as value${dialect.keepSubquery}) o)`
  return {
    ...value,
    sql: stored,
    isColumn: true,
    ...(dayNumber &&
      partOfDayNumber && {
        madeByDay: (name) => ({
          ...made(`coalesce(${dayNumber(name)}, ${ofAnyForm(name)})`),
          written: (key) => partOfDayNumber(key, part),
        }),
      }),
    made: (name) => {
      // Other parts are made of characters of the day.
      const day = part === 'day' || part === 'week' ? `substr(${name}, 1, 10)` : name
      const ofDay = partOfDay(day, part)
      return made(`case when ${beginsWithDay(name)} then ${ofDay} else ${ofAnyForm(name)} end`)
    },
  }
}

/** A value of the row, or of one that its relations lead to. */
export function scalarValue(
  compilation: Compilation,
  joined: JoinedHop[],
  table: Table,
  path: GroupKey['path'],
): MadeValue {
  const own = { table, alias: listAlias, path, isCertain: true } as const
  const row = leadsToOne(compilation, table, path)
    ? joinPath(compilation, joined, table, listAlias, path)
    : own
  const scalar = compileScalar(compilation, row.table, row.alias, row.path)
  const { sql, type, native, stored } = scalar
  const isNullable = scalar.isNullable || !row.isCertain
  return {
    sql,
    type,
    native,
    isNullable,
    stored,
    isColumn: stored !== undefined && sql === stored,
    made: (name) => ({
      sql: shownSql(native, name),
      type,
      native,
      isNullable: isNullable || native?.isUnshown !== undefined,
      isColumn: native?.isUnshown === undefined,
    }),
  }
}

/**
 * Does a join keep the number of rows? A database of another program may have several with an id.
 */
function leadsToOne(
  { dialect, tableOf }: Compilation,
  table: Table,
  path: GroupKey['path'],
): boolean {
  const { hops } = resolveScalarPath(table.model, path)
  return (
    dialect.joinsAnyOrder || hops.every(({ field }) => tableOf(field.relatedModel).hasUniqueIds)
  )
}

/** A query for the distinct members of a list, as `value`. */
export function compileMemberValues(
  compilation: Compilation,
  table: Table,
  { path }: GroupKey,
): Pick<GroupValue, 'type' | 'native'> & { readonly query: string } {
  const { guard, hops, leaf } = resolveManyPath(table.model, path)
  if (hops.length > 0)
    throw new TypeError(
      `'${path.names.join('.')}' leads through a relation to a list, by which items cannot be grouped.`,
    )
  const members = membersOf(compilation, table, listAlias, leaf)
  const where = allOfSql([members.where, compilation.compileCondition(table, listAlias, guard)])
  return {
    type: members.type,
    native: members.native,
    query: `select distinct ${members.value} as value from ${members.from}${where === trueSql ? '' : ` where ${where}`}`,
  }
}

/** NULL where clients see none. */
function shownSql(native: NativeForm | undefined, sql: string): string {
  return native?.isUnshown ? `case when not ${native.isUnshown(sql)} then ${sql} end` : sql
}
