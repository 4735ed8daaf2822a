/**
 * What a program saw that made a book, read, changed, listed and dressed it, and then put it away.
 */
export interface RoundTrip {
  readonly created: { readonly id: string; readonly title: string; readonly inStock: boolean }
  readonly read: {
    readonly author: string
    readonly genres: readonly string[]
    readonly pages: number | undefined
  }
  readonly patchedPrice: number
  /** The status of a change with a tag that is out of date. */
  readonly stale: number
  readonly listed: readonly { readonly id: string; readonly price: number }[]
  readonly uploaded: { readonly contentType: string; readonly size: number }
  readonly downloadedBytes: number
  /** The code and the place of each fault of a book without a price. */
  readonly refused: readonly { readonly code: string; readonly pointer: string | undefined }[]
  /** The status of a read after the deletion. */
  readonly gone: number
}

/** A program that is given the address of an API and an image. */
export type Program = (baseUrl: string, cover: File) => Promise<RoundTrip>

/** @throws Error with the response where there is no success */
export function taken<T>({
  data,
  error,
}: {
  readonly data?: T
  readonly error?: unknown
}): NonNullable<T> {
  if (data === undefined || data === null) throw new Error(`No success: ${JSON.stringify(error)}`)
  return data
}
