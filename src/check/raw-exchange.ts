import { connect as plain, type Socket } from 'node:net'
import { connect as secure } from 'node:tls'

/** Where raw bytes are written to. */
export interface RawConnection {
  readonly base: URL
  /** As it stands in `Host`. */
  readonly host: string
  /** What all paths stand below, without a slash at its end. */
  readonly prefix: string
  /** Lines of headers that are sent with every request. */
  readonly headers: readonly string[]
  readonly timeoutMs: number
}

export function createRawConnection(
  base: URL,
  timeout: number,
  always: Readonly<Record<string, string>>,
): RawConnection {
  return {
    base,
    host: base.host,
    prefix: base.pathname.replace(/\/$/, ''),
    headers: Object.entries(always).map(([name, value]) => `${name}: ${value}`),
    timeoutMs: timeout,
  }
}

/** Milliseconds between two pieces. */
const pauseMs = 3

/**
 * Writes bytes, told as a character each, to a connection of its own, with a pause between the
 * pieces.
 * @returns the status of the first answer; undefined where the connection is closed without one, or
 * nothing comes in time
 */
export async function exchangeRaw(
  { base, timeoutMs }: RawConnection,
  { pieces, isCutOff = false }: { readonly pieces: readonly string[]; readonly isCutOff?: boolean },
): Promise<number | undefined> {
  const socket = openSocket(base)
  try {
    const status = statusFrom(socket, timeoutMs)
    for (const [index, piece] of pieces.entries()) {
      if (index > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs))
      if (socket.writable) socket.write(piece, 'latin1')
    }
    if (isCutOff) socket.end()
    return await status
  } finally {
    socket.destroy()
  }
}

function openSocket(base: URL): Socket {
  const host = base.hostname.replace(/^\[|\]$/g, '')
  if (base.protocol === 'https:')
    return secure({ host, port: Number(base.port || 443), servername: host })
  return plain({ host, port: Number(base.port || 80) })
}

function statusFrom(socket: Socket, timeout: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    let text = ''
    socket.on('data', (bytes: Buffer) => {
      text += bytes.toString('latin1')
      // An interim answer says nothing yet (RFC 9110 §15.2).
      const status = [...text.matchAll(/(?:^|\r\n\r\n)HTTP\/1\.\d (\d{3})/g)].find(
        ([, found]) => Number(found) >= 200,
      )?.[1]
      if (status !== undefined) resolve(Number(status))
    })
    // What the other side closes while it is written to breaks; what it said before counts.
    socket.on('error', () => resolve(undefined))
    socket.on('close', () => resolve(undefined))
    socket.setTimeout(timeout, () => resolve(undefined))
  })
}
