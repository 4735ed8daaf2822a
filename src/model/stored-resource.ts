/** What is known of a binary resource; its bytes have an address of their own. */
export interface BinaryResource {
  /** Its media type: `image/png`. */
  readonly contentType: string
  /** In bytes. */
  readonly size: number
  /** SHA-256 of the bytes, in hexadecimal; in quotes it is the resource's ETag. */
  readonly hash: string
  /** As the client named it; null when it gave no name. */
  readonly fileName: string | null
}

/**
 * A binary resource as items hold it. Which blob keeps its bytes is known to the service alone: the
 * key is no member, so that neither JSON nor the model's code can tell it, and nothing a client
 * sends can make one.
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
