import type { Opaque } from '../query/query-types.ts'

/** The metadata of a binary resource. Queries cannot compare it. */
export interface BinaryResource extends Opaque {
  /** The media type, such as `image/png`. */
  readonly contentType: string
  /** The size in bytes. */
  readonly size: number
  /** The SHA-256 of the bytes, in hexadecimal; in double quotes it is the ETag of the resource. */
  readonly hash: string
  /** The file name that the client sent; null without one. */
  readonly fileName: string | null
}

/**
 * A binary resource in an item. The blob key is private, so that neither JSON nor the code of the
 * model shows it, and a client cannot create one.
 *
 * ```ts
 * for (const resource of resourcesIn(book, readStoredValues(book, item)).values())
 *   console.log(resource.size, StoredResource.blobKeyOf(resource))
 * ```
 */
export class StoredResource implements BinaryResource {
  readonly contentType: string
  readonly size: number
  readonly hash: string
  readonly fileName: string | null
  readonly #key: string

  constructor({ contentType, size, hash, fileName }: BinaryResource, key: string) {
    this.contentType = contentType
    this.size = size
    this.hash = hash
    this.fileName = fileName
    this.#key = key
    Object.freeze(this)
  }

  static blobKeyOf(resource: StoredResource): string {
    return resource.#key
  }
}
