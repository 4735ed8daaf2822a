import type { Dialect } from './dialect.ts'

/** SQL text with the slots of its parameters, in the order in which they are bound. */
export interface Compiled {
  readonly sql: string
  /** Undefined where the parameters are all values in their order. */
  readonly slots: readonly number[] | undefined
}

const mark = '\u0001'
const marked = new RegExp(`${mark}(\\d+)${mark}`, 'g')

/** Stands for the value of a slot in SQL that is still being put together. */
export function slotMark(slot: number): string {
  return `${mark}${slot}${mark}`
}

/** Numbers the parameters last, when it is known which slots the text really uses. `slotCount` is how many there are. */
export function compiled(dialect: Dialect, marks: string, slotCount: number): Compiled {
  const slots: number[] = []
  const sql = marks.replace(marked, (_, slot: string) => {
    const known = slots.indexOf(Number(slot))
    return dialect.placeholder(known >= 0 ? known + 1 : slots.push(Number(slot)))
  })
  const areAll = slots.length === slotCount && slots.every((slot, index) => slot === index)
  return { sql, slots: areAll ? undefined : slots }
}

/** The parameters of a statement out of the values of all slots. */
export function parametersOf({ slots }: Compiled, values: readonly unknown[]): readonly unknown[] {
  return slots === undefined ? values : slots.map((slot) => values[slot])
}
