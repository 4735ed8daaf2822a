import type { OwnedRelation } from '../model/description.ts'
import type { StoredItem } from './stored-item.ts'

/** The identifiers that an item's own relations hold, by wire name, without reading its values; its resources and its hash stand beside. */
export function linkageOf({ text, split }: StoredItem): Readonly<Record<string, unknown>> {
  return text.charCodeAt(split) === comma ? JSON.parse(`{${text.slice(split + 1)}`) : {}
}

/** The identifiers that one relation of the item holds. */
export function linkedIds(linkage: Readonly<Record<string, unknown>>, { wire }: OwnedRelation): readonly string[] {
  const held = linkage[wire]
  if (Array.isArray(held)) return held
  return typeof held === 'string' ? [held] : []
}

const comma = 0x2c
