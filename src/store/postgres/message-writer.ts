import { toWireValue } from './statement.ts'

/** The buffer that is used again and again, unless messages are larger. */
const initialBytes = 16_384

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
    this.#reserve(3 * name.length + 2 * count + 6)
    let buffer = this.#buffer
    // The portal without a name.
    let offset = this.#length
    buffer[offset++] = 0
    offset += buffer.write(name, offset)
    buffer[offset++] = 0
    buffer[offset++] = count >>> 8
    buffer[offset++] = count
    const formats = offset
    offset += 2 * count
    buffer.fill(0, formats, offset)
    buffer[offset++] = count >>> 8
    buffer[offset++] = count
    this.#length = offset
    for (let index = 0; index < count; index++)
      if (this.#addValue(parameters[index])) this.#buffer[formats + 2 * index + 1] = 1
    this.#reserve(4)
    buffer = this.#buffer
    buffer.writeUInt32BE(oneTextFormat, this.#length)
    this.#length += 4
    this.#end(start)
  }

  /** Executes what was bound, for all of its rows. */
  execute(): void {
    this.#add(executeMessage)
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
    this.#add(syncMessage)
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
    const value = typeof parameter === 'string' ? parameter : toWireValue(parameter)
    const start = this.#length
    const length = value === null ? 0 : value.length
    this.#reserve(4 + 3 * length)
    const buffer = this.#buffer
    let byteCount = -1
    if (typeof value === 'string') byteCount = buffer.write(value, start + 4)
    else if (value !== null) {
      buffer.set(value, start + 4)
      byteCount = length
    }
    buffer[start] = byteCount >>> 24
    buffer[start + 1] = byteCount >>> 16
    buffer[start + 2] = byteCount >>> 8
    buffer[start + 3] = byteCount
    this.#length = start + 4 + Math.max(0, byteCount)
    return value !== null && typeof value !== 'string'
  }

  #addCString(text: string): void {
    this.#reserve(3 * text.length + 1)
    this.#length += this.#buffer.write(text, this.#length)
    this.#buffer[this.#length++] = 0
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

  #add(message: Buffer): void {
    this.#reserve(message.length)
    this.#buffer.set(message, this.#length)
    this.#length += message.length
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
  close: 0x43,
  preparedStatement: 0x53,
} as const

/** Of the portal without a name, for all rows. */
const executeMessage = Buffer.of(0x45, 0, 0, 0, 9, 0, 0, 0, 0, 0)

const syncMessage = Buffer.of(0x53, 0, 0, 0, 4)

/** One format for all columns, which is text: two numbers of two bytes. */
const oneTextFormat = 0x0001_0000
