import type { StoredItem } from '../../stored-item/stored-item.ts'

/**
 * An item as one text, which the log of changes keeps. JSON would escape the texts of the item
 * once more:
 *
 * ```
 * [revision,relationsOffset,hash,length of the hidden text or null]⏎hidden text, then text
 * ```
 */
export function packItem(item: StoredItem | null): string | null {
  if (item === null) return null
  const { revision, relationsOffset, hash, hiddenText, text } = item
  const head = JSON.stringify([revision, relationsOffset, hash, hiddenText?.length ?? null])
  return `${head}\n${hiddenText ?? ''}${text}`
}

/** The item again. */
export function unpackItem(id: string, packed: unknown): StoredItem | null {
  if (typeof packed !== 'string') return null
  const start = packed.indexOf('\n') + 1
  const [revision, relationsOffset, hash, hiddenLength] = JSON.parse(packed.slice(0, start))
  const textStart = start + (hiddenLength ?? 0)
  const hiddenText = hiddenLength === null ? null : packed.slice(start, textStart)
  return { id, text: packed.slice(textStart), relationsOffset, hash, hiddenText, revision }
}
