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

/** Reads pages as the serializer writes them, from the lines of the store. */
export function serializedPageReader(
  services: RouterServices,
  serializer: Serializer,
): SerializedPageReader {
  const { rawJson } = services.store
  if (!rawJson) return async () => undefined
  return serializer.sendsRawJson
    ? rawPageReader(services, rawJson, serializer)
    : cachedPageReader(services, rawJson, serializer)
}

/** Items are sent as they are stored. */
function rawPageReader(
  services: RouterServices,
  rawJson: RawJsonReader,
  { separator }: Serializer,
): SerializedPageReader {
  return async (model, plan, relations, caller) => {
    const page = await rawJson.page(model, plan, relations, 'text', caller)
    if (!page) return undefined
    const joined = separator === ',' ? joinByCommas(page.lines) : page.lines
    return {
      ...page,
      bytes:
        model.resourcePaths.length === 0
          ? joined
          : insertBaseAddressInBytes(joined, services.urlPrefix()),
    }
  }
}

/**
 * Serialized items are cached by version. Reading versions alone is faster if all of them are
 * cached, and costs one more query otherwise, so it is only tried where the last page was cached.
 */
function cachedPageReader(
  services: RouterServices,
  rawJson: RawJsonReader,
  serializer: Serializer,
): SerializedPageReader {
  const { serializedItems } = services
  const likelyCached = new WeakSet<ModelDescription>()

  const cachedBytes = (lines: Uint8Array): Uint8Array | undefined => {
    const serialized: Uint8Array[] = []
    for (const version of versionsInLines(lines)) {
      const bytes = serializedItems.get(version)
      if (bytes === undefined) return undefined
      serialized.push(bytes)
    }
    return joinSerialized(serialized)
  }

  const serializeLines = (model: ModelDescription, lines: Uint8Array): Uint8Array => {
    const serialized: Uint8Array[] = []
    let isNew = false
    for (const line of splitLines(lines)) {
      const item = rawItemOfLine(line)
      isNew ||= item.hash === null || serializedItems.get(item.hash) === undefined
      serialized.push(serializedItem(services, serializer, model, item))
    }
    if (!isNew) likelyCached.add(model)
    return joinSerialized(serialized)
  }

  return async (model, plan, relations, caller) => {
    if (likelyCached.has(model)) {
      const page = await rawJson.page(model, plan, relations, 'version', caller)
      const cachedPage = page && cachedBytes(page.lines)
      if (cachedPage) return { ...page, bytes: cachedPage }
      likelyCached.delete(model)
    }
    const page = await rawJson.page(model, plan, relations, 'textAndOffset', caller)
    return page && { ...page, bytes: serializeLines(model, page.lines) }
  }
}

/**
 * The item as it stands in a document, with the separator before it, from the cache if possible.
 */
function serializedItem(
  { serializedItems, urlPrefix }: RouterServices,
  serializer: Serializer,
  model: ModelDescription,
  item: RawItem,
): Uint8Array {
  const { hash } = item
  const cachedBytes = hash === null ? undefined : serializedItems.get(hash)
  if (cachedBytes !== undefined) return cachedBytes
  const text = serializer.writeItem(model, { kind: 'stored', item }, urlPrefix(), noAnnotations)
  const serialized = Buffer.from(serializer.separator + text)
  if (hash !== null) serializedItems.set(hash, serialized)
  return serialized
}

const noAnnotations = Object.freeze({})

/** Each text begins with the separator. */
function joinSerialized(serialized: readonly Uint8Array[]): Uint8Array {
  return Buffer.concat(serialized).subarray(1)
}
