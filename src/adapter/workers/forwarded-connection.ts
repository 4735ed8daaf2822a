import { timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { forwardingSecret } from '../../process/process-secret.ts'

/** What an old worker says of its client before it sends a request to a new one. */
interface Preamble {
  readonly secret: string
  readonly remoteAddress: string | undefined
  readonly remoteFamily: string | undefined
  readonly remotePort: number | undefined
}

/** A new worker sends this byte where it accepts the connection. Nothing else is sent before. */
const acceptance = Buffer.of(6)

/** It ends with a line break, which JSON does not contain. */
const maxPreambleBytes = 1_024
const lineBreak = 0x0a

/** For both sides: they are on one machine. */
const preambleTimeoutMs = 5_000

/** A connection to the port of a new worker, as that of this client; undefined if it has none. */
export async function connectAs(client: Socket, port: number): Promise<Socket | undefined> {
  const socket = connect({ host: '127.0.0.1', port, allowHalfOpen: true, noDelay: true })
  // Whoever uses the connection sees that it closes.
  socket.on('error', () => {})
  const { remoteAddress, remoteFamily, remotePort } = client
  const preamble: Preamble = {
    secret: forwardingSecret(),
    remoteAddress,
    remoteFamily,
    remotePort,
  }
  socket.write(`${JSON.stringify(preamble)}\n`)
  const chunk = await firstChunk(socket)
  if (chunk?.equals(acceptance)) return socket
  socket.destroy()
  return undefined
}

async function firstChunk(socket: Socket): Promise<Buffer | undefined> {
  const ended = new AbortController()
  const { signal } = ended
  try {
    return await Promise.race([
      once(socket, 'data', { signal }).then(([chunk]) => chunk as Buffer),
      once(socket, 'close', { signal }).then(() => undefined),
      wait(preambleTimeoutMs, undefined, { signal, ref: false }),
    ])
  } catch {
    return undefined
  } finally {
    ended.abort()
  }
}

/**
 * Reads who the client of an old worker is, and gives the connection its address.
 * @param receive gets the connection, and returns whether it accepts it
 */
export function readPreamble(socket: Socket, receive: (socket: Socket) => boolean): void {
  let bytes: Buffer = Buffer.alloc(0)
  const timer = setTimeout(() => socket.destroy(), preambleTimeoutMs).unref()
  const onClose = (): void => clearTimeout(timer)
  socket.on('data', onData).on('close', onClose)
  socket.on('error', () => {})

  function onData(chunk: Buffer): void {
    bytes = Buffer.concat([bytes, chunk])
    if (bytes.at(-1) !== lineBreak) {
      if (bytes.length > maxPreambleBytes) socket.destroy()
      return
    }
    socket.off('data', onData).off('close', onClose)
    clearTimeout(timer)
    const preamble = parsePreamble(bytes)
    if (preamble === undefined) return void socket.destroy()
    const { remoteAddress, remoteFamily, remotePort } = preamble
    Object.defineProperties(socket, {
      remoteAddress: { value: remoteAddress },
      remoteFamily: { value: remoteFamily },
      remotePort: { value: remotePort },
    })
    if (receive(socket)) socket.write(acceptance)
    else socket.destroy()
  }
}

/** Undefined for what no worker of this primary has sent. */
function parsePreamble(bytes: Buffer): Preamble | undefined {
  try {
    const preamble = JSON.parse(bytes.toString()) as Preamble
    const expected = Buffer.from(forwardingSecret())
    const secret = Buffer.from(String(Object(preamble).secret))
    const isKnown = secret.length === expected.length && timingSafeEqual(secret, expected)
    return isKnown ? preamble : undefined
  } catch {
    return undefined
  }
}
