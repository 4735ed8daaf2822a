/** A message of the protocol of PostgreSQL, in one direction. */
export interface Message {
  /** A letter; empty for the first message of a client. */
  readonly type: string
  /** All of it. */
  readonly bytes: Buffer
}

/** @returns takes what arrives, and passes on each message once it is complete */
export function frameMessages(
  { hasStartup }: { readonly hasStartup: boolean },
  onMessage: (message: Message) => void,
): (chunk: Buffer) => void {
  let typeLength = hasStartup ? 0 : 1
  let rest: Buffer = Buffer.alloc(0)
  return (chunk) => {
    rest = Buffer.concat([rest, chunk])
    while (rest.length >= typeLength + 4) {
      const length = typeLength + rest.readUInt32BE(typeLength)
      if (rest.length < length) return
      const bytes = rest.subarray(0, length)
      rest = rest.subarray(length)
      const type = bytes.toString('latin1', 0, typeLength)
      typeLength = 1
      onMessage({ type, bytes })
    }
  }
}

export function writeMessage(type: string, body: Buffer): Buffer {
  const head = Buffer.alloc(5)
  head.write(type, 'latin1')
  head.writeUInt32BE(body.length + 4, 1)
  return Buffer.concat([head, body])
}
