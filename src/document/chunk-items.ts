import type { StoredItem } from '../stored-item/stored-item.ts'

/** Characters of the items that are written at a time, but for a single one that is larger. */
const maxCharacters = 524_288

/**
 * The items in parts that are written one after the other: a reader that stalls holds one of them,
 * whatever a store reads at a time.
 */
export function chunkItems(items: readonly StoredItem[]): readonly (readonly StoredItem[])[] {
  const slices: (readonly StoredItem[])[] = []
  let start = 0
  let characters = 0
  for (const [index, { text }] of items.entries()) {
    if (index > start && characters + text.length > maxCharacters) {
      slices.push(items.slice(start, index))
      start = index
      characters = 0
    }
    characters += text.length
  }
  if (start < items.length) slices.push(start === 0 ? items : items.slice(start))
  return slices
}

export async function* chunkBatches(
  batches: AsyncIterable<readonly StoredItem[]>,
): AsyncGenerator<readonly StoredItem[]> {
  for await (const batch of batches) yield* chunkItems(batch)
}
