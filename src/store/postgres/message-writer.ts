import { toWireValue } from './statement.ts'

/** The buffer that is used again and again, unless messages are larger. */
const initialBytes = 16_384

/** Texts of fewer characters are written without measuring their bytes first. */
const maxCharactersUnmeasured = 4_096

/**
 * Writes messages of the extended query protocol one after the other, so that they are sent at
 * once: each write to a socket costs as much as many messages.
 */
export class MessageWriter {
  #buffer = Buffer.allocUnsafeSlow(initialBytes)
  #length = 0

  /** Prepares a statement, whose types of parameters the server chooses. */
  parse(name: string, sql: string): void {
    const start = this.#begin(code.parse)
    this.#addCString(name)
    this.#addCString(sql)
    this.#addInt16(0)
    this.#end(start)
  }

  /**
   * Binds the parameters of a prepared statement. All columns of the result are text.
   * @throws TypeError for a parameter that has no form in SQL
   */
  bind(name: string, parameters: readonly unknown[]): void {
    const count = parameters.length
    const start = this.#begin(code.bind)
    // The portal without a name.
    this.#addByte(0)
    this.#addCString(name)
    this.#addInt16(count)
    const formats = this.#length
    this.#reserve(2 * count + 2)
    this.#buffer.fill(0, formats, formats + 2 * count)
    this.#length += 2 * count
    this.#addInt16(count)
    for (let index = 0; index < count; index++)
      if (this.#addValue(parameters[index])) this.#buffer[formats + 2 * index + 1] = 1
    this.#addInt16(1)
    this.#addInt16(0)
    this.#end(start)
  }

  /** Executes what was bound, for all of its rows. */
  execute(): void {
    const start = this.#begin(code.execute)
    this.#addByte(0)
    this.#addInt32(0)
    this.#end(start)
  }

  /** Forgets a prepared statement. */
  close(name: string): void {
    const start = this.#begin(code.close)
    this.#addByte(code.preparedStatement)
    this.#addCString(name)
    this.#end(start)
  }

  /** Ends what is a transaction by itself, and the effect of an error. */
  sync(): void {
    this.#end(this.#begin(code.sync))
  }

  /** What was written, which the writer then forgets. */
  take(): Buffer {
    const bytes = this.#buffer.subarray(0, this.#length)
    this.#length = 0
    if (this.#buffer.length === initialBytes) return Buffer.from(bytes)
    this.#buffer = Buffer.allocUnsafeSlow(initialBytes)
    return bytes
  }

  /** Forgets what was written. */
  clear(): void {
    this.#length = 0
  }

  /** @returns where the message begins */
  #begin(byte: number): number {
    const start = this.#length
    this.#reserve(5)
    this.#buffer[start] = byte
    this.#length += 5
    return start
  }

  /** The length of a message does not count its first byte. */
  #end(start: number): void {
    this.#setInt32(start + 1, this.#length - start - 1)
  }

  /** @returns is it binary? */
  #addValue(parameter: unknown): boolean {
    const value = toWireValue(parameter)
    const start = this.#length
    if (value === null) {
      this.#addInt32(-1)
      return false
    }
    this.#addInt32(0)
    const isBinary = typeof value !== 'string'
    if (isBinary) {
      this.#reserve(value.length)
      this.#buffer.set(value, this.#length)
      this.#length += value.length
    } else this.#addText(value)
    this.#setInt32(start, this.#length - start - 4)
    return isBinary
  }

  #addCString(text: string): void {
    this.#addText(text)
    this.#addByte(0)
  }

  #addText(text: string): void {
    const { length } = text
    if (length === 0) return
    this.#reserve(length > maxCharactersUnmeasured ? Buffer.byteLength(text) : 3 * length)
    this.#length += this.#buffer.write(text, this.#length)
  }

  #addByte(byte: number): void {
    this.#reserve(1)
    this.#buffer[this.#length++] = byte
  }

  #addInt16(value: number): void {
    this.#reserve(2)
    this.#buffer[this.#length++] = value >>> 8
    this.#buffer[this.#length++] = value
  }

  #addInt32(value: number): void {
    this.#reserve(4)
    this.#setInt32(this.#length, value)
    this.#length += 4
  }

  #setInt32(offset: number, value: number): void {
    const buffer = this.#buffer
    buffer[offset] = value >>> 24
    buffer[offset + 1] = value >>> 16
    buffer[offset + 2] = value >>> 8
    buffer[offset + 3] = value
  }

  #reserve(byteCount: number): void {
    const needed = this.#length + byteCount
    if (needed <= this.#buffer.length) return
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, 2 * this.#buffer.length))
    this.#buffer.copy(larger, 0, 0, this.#length)
    this.#buffer = larger
  }
}

/** The first bytes of messages, and what a message closes. */
const code = {
  parse: 0x50,
  bind: 0x42,
  execute: 0x45,
  close: 0x43,
  sync: 0x53,
  preparedStatement: 0x53,
} as const
