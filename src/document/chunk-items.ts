import type { StoredItem } from '../stored-item/stored-item.ts'

/** Characters of the items that are written at a time. A single larger item is written alone. */
const maxCharacters = 524_288

/**
 * Splits items into chunks that are written one after the other. While a reader stalls, memory
 * holds one chunk, however many items a store reads at a time.
 */
export function chunkItems(items: readonly StoredItem[]): readonly (readonly StoredItem[])[] {
  const chunks: (readonly StoredItem[])[] = []
  let start = 0
  let characters = 0
  for (const [index, { text }] of items.entries()) {
    if (index > start && characters + text.length > maxCharacters) {
      chunks.push(items.slice(start, index))
      start = index
      characters = 0
    }
    characters += text.length
  }
  if (start < items.length) chunks.push(start === 0 ? items : items.slice(start))
  return chunks
}

export async function* chunkBatches(
  batches: AsyncIterable<readonly StoredItem[]>,
): AsyncGenerator<readonly StoredItem[]> {
  for await (const batch of batches) yield* chunkItems(batch)
}
