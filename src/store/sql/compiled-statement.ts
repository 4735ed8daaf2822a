import type { Dialect } from './dialect.ts'

/** SQL with the indexes of the values that its parameters take, in the order of the parameters. */
export interface CompiledStatement {
  readonly sql: string
  /** Undefined when the parameters are all values in order. */
  readonly valueIndexes: readonly number[] | undefined
}

const markDelimiter = '\u0001'
const markPattern = new RegExp(`${markDelimiter}(\\d+)${markDelimiter}`, 'g')

/** Stands for a value in SQL whose parameters are not numbered yet. */
export function valueMark(valueIndex: number): string {
  return `${markDelimiter}${valueIndex}${markDelimiter}`
}

/**
 * Numbers the parameters last, because only the finished SQL shows which values it uses.
 * @param valueCount how many values there are
 * @param parametersBefore how many parameters the statement has before this part of it
 */
export function numberParameters(
  dialect: Dialect,
  markedSql: string,
  valueCount: number,
  parametersBefore: number,
): CompiledStatement {
  const valueIndexes: number[] = []
  const sql = markedSql.replace(markPattern, (_, digits: string) => {
    const position = valueIndexes.indexOf(Number(digits))
    const number = position >= 0 ? position + 1 : valueIndexes.push(Number(digits))
    return dialect.placeholder(parametersBefore + number)
  })
  const areAll =
    valueIndexes.length === valueCount && valueIndexes.every((value, index) => value === index)
  return { sql, valueIndexes: areAll ? undefined : valueIndexes }
}

/** The parameters of a statement, picked from all values of the query. */
export function parametersOf(
  { valueIndexes }: CompiledStatement,
  values: readonly unknown[],
): readonly unknown[] {
  return valueIndexes === undefined ? values : valueIndexes.map((index) => values[index])
}
