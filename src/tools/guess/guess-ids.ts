import { formatPointer } from '../../http/json/json-pointer.ts'
import { idRules, isValidId } from '../../store/public.ts'
import { type Collection, kindOf } from './read-data.ts'

/** The ids of the items of a collection: those that it has, as text, and else their numbers. */
export function guessIds({ key, kind, items }: Collection, faults: string[]): readonly string[] {
  const indexById = new Map<string, number>()
  const pointerOf = (index: number) =>
    kind === 'single' ? formatPointer([key, 'id']) : formatPointer([key, index, 'id'])
  items.forEach(({ id }, index) => {
    if (id === undefined) return
    const text = textOfId(id)
    if (text === undefined)
      faults.push(`${pointerOf(index)}: expected a text or a whole number; got ${kindOf(id)}.`)
    else if (!isValidId(text))
      faults.push(`${pointerOf(index)}: '${text}' is not an id. ${idRules}`)
    else if (indexById.has(text))
      faults.push(`${pointerOf(index)}: '${text}' is the id of item ${indexById.get(text)}, too.`)
    else indexById.set(text, index)
  })
  let next = 0
  const newId = (): string => {
    do next++
    while (indexById.has(String(next)))
    return String(next)
  }
  return items.map(({ id }) => textOfId(id) ?? newId())
}

/** An id as text; undefined for what cannot be one. */
export function textOfId(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  return Number.isSafeInteger(value) ? String(value) : undefined
}
