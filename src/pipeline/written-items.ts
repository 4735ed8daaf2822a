import type { ModelDescription } from '../model/description.ts'
import type { WrittenPages } from '../operation/job.ts'
import type { Serializer } from '../serializer/serializer.ts'
import { bytesWithAddresses } from '../store/addresses.ts'
import type { StoreTexts } from '../store/store.ts'
import type { ItemText } from '../store/stored-item.ts'
import { itemOfLine, joinedByCommas, linesOf, versionsOf } from '../store/text-lines.ts'
import type { Parts } from './parts.ts'

/** How a serializer writes the items of a page that the store joins. */
export function writtenPages(parts: Parts, serializer: Serializer): WrittenPages {
  const { texts } = parts.store
  if (!texts) return async () => undefined
  return serializer.sendsStoredTexts ? storedPages(parts, texts, serializer) : ownPages(parts, texts, serializer)
}

/** Items go out as they are stored. */
function storedPages(parts: Parts, texts: StoreTexts, { between }: Serializer): WrittenPages {
  return async (model, plan, linked, caller) => {
    const page = await texts.page(model, plan, linked, 'text', caller)
    if (!page) return undefined
    const joined = between === ',' ? joinedByCommas(page.lines) : page.lines
    return { ...page, texts: model.slots.length === 0 ? joined : bytesWithAddresses(joined, parts.base()) }
  }
}

/**
 * What was written of an item once need not be written again: its version stands for all of it. So the store is asked for versions alone
 * first; but only where the page before was known too, for the texts of what is not known are one question more.
 */
function ownPages(parts: Parts, texts: StoreTexts, serializer: Serializer): WrittenPages {
  const { writtenItems } = parts
  const likelyKnown = new WeakSet<ModelDescription>()

  const known = (lines: Uint8Array): Uint8Array | undefined => {
    const written: Uint8Array[] = []
    for (const version of versionsOf(lines)) {
      const text = writtenItems.get(version)
      if (text === undefined) return undefined
      written.push(text)
    }
    return joined(written)
  }

  const write = (model: ModelDescription, lines: Uint8Array): Uint8Array => {
    const written: Uint8Array[] = []
    let isNew = false
    for (const line of linesOf(lines)) {
      const item = itemOfLine(line)
      isNew ||= item.hash === null || writtenItems.get(item.hash) === undefined
      written.push(writtenItem(parts, serializer, model, item))
    }
    if (!isNew) likelyKnown.add(model)
    return joined(written)
  }

  return async (model, plan, linked, caller) => {
    if (likelyKnown.has(model)) {
      const page = await texts.page(model, plan, linked, 'version', caller)
      const found = page && known(page.lines)
      if (found) return { ...page, texts: found }
      likelyKnown.delete(model)
    }
    const page = await texts.page(model, plan, linked, 'textAndSplit', caller)
    return page && { ...page, texts: write(model, page.lines) }
  }
}

/** The item as it stands in a document, and before it what stands between items: made once, as long as it is kept. */
function writtenItem(
  { writtenItems, base }: Parts,
  serializer: Serializer,
  model: ModelDescription,
  item: ItemText,
): Uint8Array {
  const { hash } = item
  const known = hash === null ? undefined : writtenItems.get(hash)
  if (known !== undefined) return known
  const text = serializer.item(model, { kind: 'stored', item }, base(), noRemarks)
  const written = Buffer.from(serializer.between + text)
  if (hash !== null) writtenItems.set(hash, written)
  return written
}

const noRemarks = Object.freeze({})

/** Each text begins with what stands between them. */
function joined(written: readonly Uint8Array[]): Uint8Array {
  return Buffer.concat(written).subarray(1)
}
