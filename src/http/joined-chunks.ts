/** A shorter chunk is copied: each object of a chunk takes about a kilobyte of memory. */
const smallBytes = 1_024
/** Small chunks share memory of this size. */
const sharedBytes = 16_384

/** Gathers the chunks of a body in little more memory than their bytes, however small they are. */
export class JoinedChunks {
  readonly #chunks: Uint8Array[] = []
  /** Small chunks, which come after all others; `#used` says how much of it they fill. */
  #shared: Uint8Array | undefined
  #used = 0
  #size = 0

  /** In bytes. */
  get size(): number {
    return this.#size
  }

  add(chunk: Uint8Array): void {
    this.#size += chunk.length
    // A body of one chunk is not copied.
    if (chunk.length >= smallBytes || this.#size === chunk.length) {
      this.#endShared()
      this.#chunks.push(chunk)
      return
    }
    if (this.#used + chunk.length > sharedBytes) this.#endShared()
    this.#shared ??= Buffer.allocUnsafeSlow(sharedBytes)
    this.#shared.set(chunk, this.#used)
    this.#used += chunk.length
  }

  /** All bytes. Add no chunks afterwards. */
  whole(): Uint8Array {
    this.#endShared()
    return this.#chunks.length === 1 ? this.#chunks[0]! : Buffer.concat(this.#chunks, this.#size)
  }

  #endShared(): void {
    if (this.#shared) this.#chunks.push(this.#shared.subarray(0, this.#used))
    this.#shared = undefined
    this.#used = 0
  }
}
