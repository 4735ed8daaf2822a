import { createHash } from 'node:crypto'
import { basename } from 'node:path'
import { type ModelDescription, resourcesIn } from '../../store/public.ts'
import { countOf } from '../../text/message-text.ts'
import { canonicalText } from './canonical-item.ts'
import { ContentHash } from './content-hash.ts'
import {
  blobHashIn,
  checkBlobLine,
  type FileEnd,
  isBlobLine,
  isEndLine,
  parseEnd,
  parseHeader,
} from './file-format.ts'
import { type FileLine, readLines } from './file-lines.ts'
import { batchSize, type MovedItem } from './item-source.ts'
import { parseItem } from './parse-item.ts'

/** What a whole file holds. */
export interface FileContent {
  readonly counts: ReadonlyMap<ModelDescription, number>
  readonly resourceCount: number
  /** The hash of the content of the items. */
  readonly sha256: string
}

/**
 * Reads a whole file, and checks each line, the counts and the hash at its end.
 * @param onItems called with each batch of items, and with the number of items so far
 * @throws Error with the number of the line and what is wrong with it
 */
export async function checkFile(
  file: string,
  models: readonly ModelDescription[],
  onItems: (items: readonly MovedItem[], count: number) => unknown = () => {},
): Promise<FileContent> {
  const check = new FileCheck(models)
  let lineCount = 0
  for await (const line of readLines(file)) {
    lineCount = line.number
    inLine(file, line, () => check.read(line))
    if (check.items.length === batchSize) await onItems(check.items.splice(0), check.itemCount)
  }
  await onItems(check.items.splice(0), check.itemCount)
  if (!check.hasEnd)
    throw new Error(
      `${basename(file)} ends after line ${lineCount} without the last line of an export. It is not whole.`,
    )
  return check.content()
}

/** Runs the work, and puts the number of the line in front of its error. */
export function inLine<T>(file: string, { number }: Pick<FileLine, 'number'>, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw new Error(`Line ${number} of ${basename(file)}: ${(error as Error).message}`, {
      cause: error,
    })
  }
}

class FileCheck {
  readonly #models: readonly ModelDescription[]
  readonly #hash = createHash('sha256')
  readonly #contentHash = new ContentHash()
  readonly #counts = new Map<ModelDescription, number>()
  readonly #blobKeys = new Map<string, string>()
  #resourceCount = 0
  /** The last items; the reader takes them away. */
  readonly items: MovedItem[] = []
  itemCount = 0
  hasEnd = false

  constructor(models: readonly ModelDescription[]) {
    this.#models = models
  }

  read({ number, bytes, isWhole }: FileLine): void {
    if (this.hasEnd) throw new Error('Expected nothing after the end.')
    if (!isWhole) throw new Error('The line is not whole.')
    if (number === 1) {
      for (const model of parseHeader(bytes, this.#models)) this.#counts.set(model, 0)
    } else if (isBlobLine(bytes)) {
      checkBlobLine(bytes)
      this.#blobKeys.set(blobHashIn(bytes), '')
    } else if (isEndLine(bytes)) {
      this.#readEnd(parseEnd(bytes))
      return
    } else this.#readItem(bytes)
    this.#hash.update(bytes).update('\n')
  }

  content(): FileContent {
    return {
      counts: this.#counts,
      resourceCount: this.#resourceCount,
      sha256: this.#contentHash.digest(),
    }
  }

  #readItem(bytes: Buffer): void {
    const item = parseItem(this.#models, bytes, this.#blobKeys)
    const { model, values } = item
    const count = this.#counts.get(model)
    if (count === undefined) throw new Error(`The header does not name the model '${model.name}'.`)
    this.#counts.set(model, count + 1)
    this.#contentHash.add(model, canonicalText(model, values))
    this.#resourceCount += resourcesIn(model, values).size
    this.#blobKeys.clear()
    this.items.push(item)
    this.itemCount++
  }

  #readEnd({ items, sha256 }: FileEnd): void {
    for (const [{ name }, count] of this.#counts)
      if (items[name] !== count)
        throw new Error(
          `Expected ${countOf(items[name] ?? 0, 'item')} of the model '${name}'; got ${count}.`,
        )
    if (this.#hash.digest('hex') !== sha256)
      throw new Error('The hash is another: the file was changed after it was written.')
    this.hasEnd = true
  }
}
