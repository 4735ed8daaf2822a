/** By this symbol, items have the ETag with which they can be written. */
const tag = Symbol.for('resourcery.etag')

/** A symbol also reaches copies and proxies of an item, which a `WeakMap` does not know. */
interface Tagged {
  [tag]?: string
}

/**
 * Gives an item the tag of its response, or that of its version.
 * @param header the `ETag` of a response with this item alone; a weak one guards no writes
 */
export function tagItem(item: object, version: unknown, header: string | null): void {
  if (header?.startsWith('"')) (item as Tagged)[tag] = header
  else if (typeof version === 'string') (item as Tagged)[tag] = `"${version}"`
}

/** The tag for `If-Match`; undefined for an id, and for items of a model without versions. */
export function tagOf(item: string | object): string | undefined {
  return typeof item === 'string' ? undefined : (item as Tagged)[tag]
}
