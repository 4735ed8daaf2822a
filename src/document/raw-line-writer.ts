import { memoizeBy } from '../cache/memoize-by.ts'
import type { ModelDescription } from '../model/model-description.ts'
import { noAnnotations } from '../serializer/outgoing-item.ts'
import type { Serializer } from '../serializer/serializer.ts'
import { insertBaseAddressInBytes } from '../stored-item/insert-base-address.ts'
import {
  joinByCommas,
  mapLines,
  type RawLine,
  type RawLineFormat,
  rawItemOfLine,
} from '../stored-item/raw-lines.ts'
import type { DocumentServices } from './document-services.ts'

/** Writes raw lines of a store as the items of a document, with separators between them. */
export interface RawLineWriter {
  /** What the lines hold. */
  readonly format: RawLineFormat
  write(model: ModelDescription, lines: Uint8Array): Uint8Array
}

export function rawLineWriter(services: DocumentServices, serializer: Serializer): RawLineWriter {
  return serializer.sendsRawJson
    ? { format: 'text', write: storedLineWriter(services, serializer) }
    : { format: 'textAndOffset', write: serializedLineWriter(services, serializer) }
}

/** Items are sent as they are stored. */
function storedLineWriter(
  services: DocumentServices,
  { separator }: Serializer,
): RawLineWriter['write'] {
  return (model, lines) => {
    const joined = separator === ',' ? joinByCommas(lines) : lines
    return model.resourcePaths.length === 0
      ? joined
      : insertBaseAddressInBytes(joined, services.urlPrefix())
  }
}

let serializers = 0

/** Short, because the key of each item begins with it. */
const numberOf = memoizeBy((_: Serializer) => ++serializers)

/**
 * Serialized items are cached by serializer, model and version. A store may compute versions from
 * the content alone, and items of two models may have the same content.
 */
function serializedLineWriter(
  { serializedItems, urlPrefix }: DocumentServices,
  serializer: Serializer,
): RawLineWriter['write'] {
  const { separator } = serializer
  const keysOf = memoizeBy(({ name }: ModelDescription) => `${numberOf(serializer)} ${name} `)
  /** The item as it stands in a document, with the separator before it. */
  const serialize = (model: ModelDescription, line: RawLine): Uint8Array => {
    const item = rawItemOfLine(line)
    const text = serializer.writeItem(model, { kind: 'stored', item }, urlPrefix(), noAnnotations)
    const serialized = Buffer.from(separator + text)
    if (item.hash !== null) serializedItems.set(keysOf(model) + item.hash, serialized)
    return serialized
  }
  return (model, lines) => {
    const key = keysOf(model)
    const serialized = mapLines(lines, (version, line) => {
      const cachedBytes = version === undefined ? undefined : serializedItems.get(key + version)
      return cachedBytes ?? serialize(model, line)
    })
    // Each of them begins with the separator.
    return Buffer.concat(serialized).subarray(separator.length)
  }
}
