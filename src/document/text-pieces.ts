import { ownBytes } from '../http/owned-bytes.ts'

/** Longer texts are encoded at once, because the engine collects long strings late. */
const maxTextCharacters = 32_768

/** Joins a text, and encodes it while it grows. */
export class TextPieces {
  /** Characters, and bytes of what is encoded already. */
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
      if (this.#text.length > maxTextCharacters) this.#encode()
    } else if (piece.length > 0) {
      this.#encode()
      this.#encoded.push(piece)
    }
  }

  /** Returns all of it, encoded, and starts again. */
  takeBytes(): readonly Uint8Array[] {
    this.#encode()
    return this.#encoded.splice(0)
  }

  /** Returns all of it, as text if nothing is encoded yet, and starts again. */
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
