import { isRecord } from '../document-node.ts'

type Members = Readonly<Record<string, unknown>>

interface ItemWithId extends Members {
  readonly id: string
}

function isItem(value: unknown): value is ItemWithId {
  return isRecord(value) && typeof value.id === 'string'
}

/** The items of a list: the first array with an item in it. */
export function itemsIn(list: unknown): readonly ItemWithId[] {
  const values = Array.isArray(list) ? [list] : isRecord(list) ? Object.values(list) : []
  for (const value of values)
    if (Array.isArray(value) && value.some(isItem)) return value.filter(isItem)
  return []
}

/** The members of an item in its document, with those of `attributes` (JSON:API). */
export function membersOf(document: unknown, id: string): Members {
  const candidates = isRecord(document) ? [...Object.values(document), document] : []
  const item = candidates.find((value) => isItem(value) && value.id === id)
  if (!isRecord(item)) return {}
  return isRecord(item.attributes) ? item.attributes : item
}
