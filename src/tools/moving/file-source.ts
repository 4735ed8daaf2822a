import { type ModelDescription, StoredResource } from '../../store/public.ts'
import { inLine } from './check-file.ts'
import { blobBytesIn, blobHashIn, isBlobLine, isItemLine } from './file-format.ts'
import { type FileLine, readLines } from './file-lines.ts'
import { batchSize, type ItemSource, type MovedItem } from './item-source.ts'
import { parseItem } from './parse-item.ts'

/**
 * The items of a file. Blobs are not read with them: their keys say where in the file they are.
 * @param counts the number of items of each model
 */
export function fileSource(
  file: string,
  models: readonly ModelDescription[],
  counts: ReadonlyMap<ModelDescription, number>,
): ItemSource {
  return {
    count: async () => counts,
    async *items(selected) {
      let batch: MovedItem[] = []
      const blobKeys = new Map<string, string>()
      for await (const line of readLines(file)) {
        if (isBlobLine(line.bytes)) {
          const hash = blobHashIn(line.bytes)
          if (!blobKeys.has(hash)) blobKeys.set(hash, blobKeyOf(line))
        } else if (isItemLine(line.bytes)) {
          const item = inLine(file, line, () => parseItem(models, line.bytes, blobKeys))
          blobKeys.clear()
          if (selected?.has(item.model) ?? true) batch.push(item)
          if (batch.length < batchSize || item.isJoined) continue
          yield batch
          batch = []
        }
      }
      if (batch.length > 0) yield batch
    },
    readBlob: async (resource) => blobChunks(file, resource),
  }
}

function blobKeyOf({ number, offset }: FileLine): string {
  return `${number} ${offset}`
}

async function* blobChunks(file: string, resource: StoredResource): AsyncGenerator<Uint8Array> {
  const [number, offset] = StoredResource.blobKeyOf(resource).split(' ').map(Number)
  for await (const { bytes } of readLines(file, { number: number!, offset: offset! })) {
    if (!isBlobLine(bytes) || blobHashIn(bytes) !== resource.hash) return
    yield blobBytesIn(bytes)
  }
}
