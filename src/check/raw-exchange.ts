import { connect as plain, type Socket } from 'node:net'
import { connect as secure } from 'node:tls'

/** The target of raw requests. */
export interface RawConnection {
  readonly base: URL
  /** The value of `Host`. */
  readonly host: string
  /** The base path, without a trailing slash. */
  readonly prefix: string
  /** Header lines of every request. */
  readonly headers: readonly string[]
  readonly timeoutMs: number
}

export function createRawConnection(
  base: URL,
  timeoutMs: number,
  headers: Readonly<Record<string, string>>,
): RawConnection {
  return {
    base,
    host: base.host,
    prefix: base.pathname.replace(/\/$/, ''),
    headers: Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    timeoutMs,
  }
}

/** The pause between two pieces. */
const pauseMs = 3

/**
 * Writes bytes (one character each) to a new connection, with a pause between the pieces.
 * @returns the status of the first response; undefined if there is none in time
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

/** Interim responses in front of the status have fewer characters. */
const maxHeadLength = 65_536

function statusFrom(socket: Socket, timeoutMs: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    let text = ''
    const end = (status: number | undefined) => {
      clearTimeout(timer)
      resolve(status)
    }
    // The whole exchange has this time, however slowly bytes arrive.
    const timer = setTimeout(() => end(undefined), timeoutMs)
    socket.on('data', (bytes: Buffer) => {
      text += bytes.toString('latin1')
      // Skips interim responses (RFC 9110 §15.2).
      const status = [...text.matchAll(/(?:^|\r\n\r\n)HTTP\/1\.\d (\d{3})/g)].find(
        ([, code]) => Number(code) >= 200,
      )?.[1]
      if (status !== undefined) end(Number(status))
      else if (text.length > maxHeadLength) end(undefined)
    })
    // Writing to a closed connection fails; a response before that counts.
    socket.on('error', () => end(undefined))
    socket.on('close', () => end(undefined))
  })
}
