import {
  type BrotliCompress,
  constants,
  createBrotliCompress,
  createGzip,
  type Gzip,
} from 'node:zlib'
import type { ContentCoding } from '../../http/headers/accept-encoding.ts'

/**
 * A window of 256 KiB, so that a stream takes about 1 MiB of memory. Nearly as small as the best
 * quality, in a tenth of its time.
 */
const brotliParams = {
  [constants.BROTLI_PARAM_QUALITY]: 4,
  [constants.BROTLI_PARAM_LGWIN]: 18,
}

const gzipOptions = { level: 6 }

/** Compresses the chunks of one response, outside of this thread. */
export class Compressor {
  readonly #stream: BrotliCompress | Gzip
  readonly #flushKind: number
  #output: Uint8Array[] = []
  /** Settles the step that runs: a closed stream calls no callbacks. */
  #settle: (() => void) | undefined

  constructor(coding: ContentCoding) {
    this.#stream =
      coding === 'br' ? createBrotliCompress({ params: brotliParams }) : createGzip(gzipOptions)
    this.#flushKind = coding === 'br' ? constants.BROTLI_OPERATION_FLUSH : constants.Z_SYNC_FLUSH
    this.#stream.on('data', (piece: Uint8Array) => this.#output.push(piece))
    this.#stream.on('close', () => this.#settle?.())
    // The step that runs rejects with it.
    this.#stream.on('error', () => undefined)
  }

  /** Resolves when the chunk is not used any more. */
  write(chunk: string | Uint8Array): Promise<void> {
    return this.#step((done) => this.#stream.write(chunk, done))
  }

  /** Ends a block, so that the client can read all that was written. */
  async flush(): Promise<void> {
    await this.#step((done) => this.#stream.flush(this.#flushKind, done))
    // The stream may emit its output after the callback.
    await new Promise((resolve) => setImmediate(resolve))
  }

  end(): Promise<void> {
    return this.#step((done) => this.#stream.once('end', done).once('error', done).end())
  }

  /** Takes the output so far. */
  takeOutput(): readonly Uint8Array[] {
    const output = this.#output
    this.#output = []
    return output
  }

  get isOpen(): boolean {
    return !this.#stream.destroyed
  }

  close(): void {
    this.#stream.destroy()
  }

  #step(start: (done: (error?: Error | null) => void) => void): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#stream.destroyed) return resolve()
      this.#settle = resolve
      start((error) => (error ? reject(error) : resolve()))
    })
  }
}
