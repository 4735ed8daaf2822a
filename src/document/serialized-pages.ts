import type { ModelDescription } from '../model/model-description.ts'
import type { SerializedPageReader } from '../operation/operation-input.ts'
import type { Serializer } from '../serializer/serializer.ts'
import type { RawJsonReader } from '../store/store.ts'
import { insertBaseAddressInBytes } from '../stored-item/insert-base-address.ts'
import {
  joinByCommas,
  rawItemOfLine,
  splitLines,
  versionsInLines,
} from '../stored-item/raw-lines.ts'
import type { RawItem } from '../stored-item/stored-item.ts'
import type { RouterServices } from './router-services.ts'

/** How a serializer writes the items of a page that the store joins. */
export function serializedPageReader(
  parts: RouterServices,
  serializer: Serializer,
): SerializedPageReader {
  const { rawJson } = parts.store
  if (!rawJson) return async () => undefined
  return serializer.sendsRawJson
    ? rawPageReader(parts, rawJson, serializer)
    : cachedPageReader(parts, rawJson, serializer)
}

/** Items go out as they are stored. */
function rawPageReader(
  parts: RouterServices,
  texts: RawJsonReader,
  { separator }: Serializer,
): SerializedPageReader {
  return async (model, plan, linked, caller) => {
    const page = await texts.page(model, plan, linked, 'text', caller)
    if (!page) return undefined
    const joined = separator === ',' ? joinByCommas(page.lines) : page.lines
    return {
      ...page,
      bytes:
        model.resourcePaths.length === 0
          ? joined
          : insertBaseAddressInBytes(joined, parts.urlPrefix()),
    }
  }
}

/**
 * What was written of an item once need not be written again: its version stands for all of it. So
 * the store is asked for versions alone first; but only where the page before was known too, for
 * the texts of what is not known are one question more.
 */
function cachedPageReader(
  parts: RouterServices,
  texts: RawJsonReader,
  serializer: Serializer,
): SerializedPageReader {
  const { serializedItems } = parts
  const likelyKnown = new WeakSet<ModelDescription>()

  const known = (lines: Uint8Array): Uint8Array | undefined => {
    const written: Uint8Array[] = []
    for (const version of versionsInLines(lines)) {
      const text = serializedItems.get(version)
      if (text === undefined) return undefined
      written.push(text)
    }
    return joinSerialized(written)
  }

  const write = (model: ModelDescription, lines: Uint8Array): Uint8Array => {
    const written: Uint8Array[] = []
    let isNew = false
    for (const line of splitLines(lines)) {
      const item = rawItemOfLine(line)
      isNew ||= item.hash === null || serializedItems.get(item.hash) === undefined
      written.push(serializedItem(parts, serializer, model, item))
    }
    if (!isNew) likelyKnown.add(model)
    return joinSerialized(written)
  }

  return async (model, plan, linked, caller) => {
    if (likelyKnown.has(model)) {
      const page = await texts.page(model, plan, linked, 'version', caller)
      const found = page && known(page.lines)
      if (found) return { ...page, bytes: found }
      likelyKnown.delete(model)
    }
    const page = await texts.page(model, plan, linked, 'textAndSplit', caller)
    return page && { ...page, bytes: write(model, page.lines) }
  }
}

/**
 * The item as it stands in a document, and before it what stands between items: made once, as long
 * as it is kept.
 */
function serializedItem(
  { serializedItems, urlPrefix }: RouterServices,
  serializer: Serializer,
  model: ModelDescription,
  item: RawItem,
): Uint8Array {
  const { hash } = item
  const known = hash === null ? undefined : serializedItems.get(hash)
  if (known !== undefined) return known
  const text = serializer.writeItem(model, { kind: 'stored', item }, urlPrefix(), noAnnotations)
  const written = Buffer.from(serializer.separator + text)
  if (hash !== null) serializedItems.set(hash, written)
  return written
}

const noAnnotations = Object.freeze({})

/** Each text begins with what stands between them. */
function joinSerialized(written: readonly Uint8Array[]): Uint8Array {
  return Buffer.concat(written).subarray(1)
}
