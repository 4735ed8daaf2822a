import { createHash } from 'node:crypto'
import type { ModelDescription } from '../../store/public.ts'

/** SHA-256 of the content of items, in the order of the plan. */
export class ContentHash {
  readonly #hash = createHash('sha256')

  /** @param text the canonical text of an item */
  add({ name }: ModelDescription, text: string): void {
    this.#hash.update(`${name}${text}\n`)
  }

  /** In hexadecimal. Call it once. */
  digest(): string {
    return this.#hash.digest('hex')
  }
}
