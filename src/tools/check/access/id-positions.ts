import { isRecord } from '../document-node.ts'
import type { ComparedCollection } from './compared-items.ts'

/** A text in a response: `position` is its path, with a star for each index of an array. */
export interface PlacedText {
  readonly position: string
  readonly text: string
}

/**
 * All texts of a JSON value. Objects with a `type` and an `id` have the type in their position, so
 * that identifiers of different collections stand apart (JSON:API).
 */
export function textsIn(value: unknown, position: string): readonly PlacedText[] {
  if (typeof value === 'string') return [{ position, text: value }]
  if (Array.isArray(value)) return value.flatMap((each) => textsIn(each, `${position}/*`))
  if (!isRecord(value)) return []
  const isTyped = typeof value.type === 'string' && typeof value.id === 'string'
  const own = isTyped ? `${position}[${value.type}]` : position
  return Object.entries(value).flatMap(([name, member]) => textsIn(member, `${own}/${name}`))
}

/**
 * The collections whose ids stand at a position: those that have every text that any caller got
 * there. So the check finds ids without knowing the format of the service.
 */
export type IdPositions = ReadonlyMap<string, readonly ComparedCollection[]>

export function learnIdPositions(
  texts: Iterable<PlacedText>,
  collections: readonly ComparedCollection[],
): IdPositions {
  const byPosition = new Map<string, Set<string>>()
  for (const { position, text } of texts) {
    const known = byPosition.get(position)
    if (known) known.add(text)
    else byPosition.set(position, new Set([text]))
  }
  return new Map(
    [...byPosition].map(([position, ids]) => [
      position,
      collections.filter((collection) => [...ids].every((id) => collection.ids.has(id))),
    ]),
  )
}

/** The member at a position: `speaker` of `data/relationships/speaker/data/id`. */
export function memberAt(position: string): string | undefined {
  const names = position
    .split('/')
    .map((name) => name.replace(/\[.*\]$/, ''))
    .filter((name) => name !== '*' && name !== 'data' && name !== 'id')
  return names.at(-1)
}
