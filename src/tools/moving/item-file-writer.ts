import { createHash, type Hash } from 'node:crypto'
import { type FileHandle, open } from 'node:fs/promises'
import { rechunk } from '../../store/blobs/chunks.ts'
import { resourcesIn } from '../../store/public.ts'
import { copyError, verified } from './copied-blobs.ts'
import { blobChunkBytes, blobLine, itemLine } from './file-format.ts'
import type { ItemSource, MovedItem } from './item-source.ts'
import type { ExportState } from './resume-file.ts'

/** Lines are written together up to this length. */
const bufferChars = 1_048_576

/** Writes lines to a file, and hashes them. */
/** Only the user that runs the command can read a new file. */
const ownerFileMode = 0o600

export class ItemFileWriter {
  readonly #file: FileHandle
  readonly #hash: Hash
  #text = ''
  #position: number
  copiedBytes = 0

  private constructor(file: FileHandle, hash: Hash, position: number) {
    this.#file = file
    this.#hash = hash
    this.#position = position
  }

  /** Goes on after the part of the file that is kept, or begins a new file. */
  static async open(path: string, state: ExportState | undefined): Promise<ItemFileWriter> {
    const file = await open(path, state ? 'r+' : 'w', ownerFileMode)
    try {
      // The file may have been there before, and holds hidden members.
      await file.chmod(ownerFileMode)
      await file.truncate(state?.byteCount ?? 0)
    } catch (error) {
      await file.close()
      throw error
    }
    return new ItemFileWriter(file, state?.hash ?? createHash('sha256'), state?.byteCount ?? 0)
  }

  /** Writes an item, and before it the bytes of its resources, those of equal ones once. */
  async writeItem(source: ItemSource, item: MovedItem): Promise<void> {
    const resources = resourcesIn(item.model, item.values)
    const writtenHashes = new Set<string>()
    for (const [path, resource] of resources) {
      if (writtenHashes.has(resource.hash)) continue
      writtenHashes.add(resource.hash)
      try {
        const bytes = verified(await source.readBlob(resource), resource)
        for await (const chunk of rechunk(bytes, blobChunkBytes))
          await this.write(
            blobLine(resource.hash, Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length)),
          )
        // An empty blob has a chunk too, so that it is there.
        if (resource.size === 0) await this.write(blobLine(resource.hash, Buffer.alloc(0)))
      } catch (error) {
        throw copyError(item.model, item.values.id, path, error)
      }
      this.copiedBytes += resource.size
    }
    await this.write(itemLine(item))
  }

  async write(line: string): Promise<void> {
    this.#hash.update(line)
    this.#text += line
    if (this.#text.length >= bufferChars) await this.#flush()
  }

  /** The hash of all lines so far. Write only the last line after it. */
  sha256(): string {
    return this.#hash.copy().digest('hex')
  }

  /** Waits until everything is on the disk. */
  async finish(): Promise<void> {
    await this.#flush()
    await this.#file.sync()
  }

  close(): Promise<void> {
    return this.#file.close()
  }

  async #flush(): Promise<void> {
    const bytes = Buffer.from(this.#text)
    this.#text = ''
    let byteCount = 0
    while (byteCount < bytes.length)
      byteCount += (
        await this.#file.write(
          bytes,
          byteCount,
          bytes.length - byteCount,
          this.#position + byteCount,
        )
      ).bytesWritten
    this.#position += bytes.length
  }
}
