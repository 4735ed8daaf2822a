import type { Dialect } from './dialect.ts'

/** SQL text with the slots of its parameters, in the order in which they are bound. */
export interface CompiledStatement {
  readonly sql: string
  /** Undefined where the parameters are all values in their order. */
  readonly valueIndexes: readonly number[] | undefined
}

const markDelimiter = '\u0001'
const markPattern = new RegExp(`${markDelimiter}(\\d+)${markDelimiter}`, 'g')

/** Stands for the value of a slot in SQL that is still being put together. */
export function valueMark(slot: number): string {
  return `${markDelimiter}${slot}${markDelimiter}`
}

/**
 * Numbers the parameters last, when it is known which slots the text really uses. `slotCount` is
 * how many there are.
 */
export function numberParameters(
  dialect: Dialect,
  marks: string,
  slotCount: number,
): CompiledStatement {
  const slots: number[] = []
  const sql = marks.replace(markPattern, (_, slot: string) => {
    const known = slots.indexOf(Number(slot))
    return dialect.placeholder(known >= 0 ? known + 1 : slots.push(Number(slot)))
  })
  const areAll = slots.length === slotCount && slots.every((slot, index) => slot === index)
  return { sql, valueIndexes: areAll ? undefined : slots }
}

/** The parameters of a statement out of the values of all slots. */
export function parametersOf(
  { valueIndexes }: CompiledStatement,
  values: readonly unknown[],
): readonly unknown[] {
  return valueIndexes === undefined ? values : valueIndexes.map((slot) => values[slot])
}
