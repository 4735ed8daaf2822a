import { lruCache } from '../cache/lru-cache.ts'

/** More than webhooks and models are followed at once in most services. */
const maxPositions = 10_000

/**
 * How far this process has read for webhooks beyond the positions that are stored: what their
 * owners do not see is not worth a write, and is not read again either.
 */
export class ReadPositions {
  readonly #positions = lruCache<string, { readonly stored: string; readonly read: string }>(
    maxPositions,
  )

  /** Where to read on; the stored position unless this process has read on from it. */
  after(webhook: string, model: string, stored: string | undefined): string | undefined {
    const known = this.#positions.get(keyOf(webhook, model))
    return known?.stored === stored ? known?.read : stored
  }

  set(webhook: string, model: string, stored: string, read: string): void {
    this.#positions.set(keyOf(webhook, model), { stored, read })
  }
}

function keyOf(webhook: string, model: string): string {
  return `${model} ${webhook}`
}
