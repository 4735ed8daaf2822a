import { ownBytes } from '../cache/owned-bytes.ts'

/**
 * Characters that are held as a text; more of them are encoded at once, for the engine collects
 * long texts late.
 */
const longestText = 32_768

/** A text that is put together, and encoded while it grows. */
export class TextPieces {
  /** In characters, and bytes of what was encoded already. */
  length = 0
  #encoded: Uint8Array[] = []
  #text: string

  constructor(text = '') {
    this.#text = text
    this.length = text.length
  }

  add(piece: string | Uint8Array): void {
    this.length += piece.length
    if (typeof piece === 'string') {
      this.#text += piece
      if (this.#text.length > longestText) this.#encode()
    } else {
      this.#encode()
      this.#encoded.push(piece)
    }
  }

  /** All of it, encoded; it begins anew then. */
  takeBytes(): readonly Uint8Array[] {
    this.#encode()
    return this.#encoded.splice(0)
  }

  /** All of it, where nothing is encoded as a text; it begins anew then. */
  take(): readonly (string | Uint8Array)[] {
    if (this.#encoded.length > 0) return this.takeBytes()
    const text = this.#text
    this.#text = ''
    return [text]
  }

  #encode(): void {
    if (this.#text !== '') this.#encoded.push(ownBytes(Buffer.from(this.#text)))
    this.#text = ''
  }
}
