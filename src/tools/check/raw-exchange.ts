import { connect as plain, type Socket } from 'node:net'
import { connect as secure } from 'node:tls'
import type { RateLimits } from './rate-limits.ts'

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
  readonly limits: RateLimits
}

export interface RawConnectionOptions {
  /** The time for one exchange. */
  readonly timeoutMs: number
  /** Headers of every request. */
  readonly headers: Readonly<Record<string, string>>
  readonly limits: RateLimits
}

export function createRawConnection(
  base: URL,
  { timeoutMs, headers, limits }: RawConnectionOptions,
): RawConnection {
  return {
    base,
    host: base.host,
    prefix: base.pathname.replace(/\/$/, ''),
    headers: Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    timeoutMs,
    limits,
  }
}

/** The pause between two pieces. */
const pauseMs = 3

interface RawRequest {
  readonly pieces: readonly string[]
  readonly isCutOff?: boolean
}

/**
 * Writes bytes (one character each) to a new connection, with a pause between the pieces. Repeats
 * a request that a rate limit refuses.
 * @returns the status of the first response; undefined if there is none in time
 */
export async function exchangeRaw(
  connection: RawConnection,
  request: RawRequest,
): Promise<number | undefined> {
  const head = await exchangeOnce(connection, request)
  if (head?.status !== 429 || !(await connection.limits.wait(head.retryAfter))) return head?.status
  return exchangeRaw(connection, request)
}

interface ResponseHead {
  readonly status: number
  /** Of a response with 429. */
  readonly retryAfter: string | undefined
}

async function exchangeOnce(
  { base, timeoutMs }: RawConnection,
  { pieces, isCutOff = false }: RawRequest,
): Promise<ResponseHead | undefined> {
  const socket = openSocket(base)
  try {
    const head = headFrom(socket, timeoutMs)
    for (const [index, piece] of pieces.entries()) {
      if (index > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs))
      if (socket.writable) socket.write(piece, 'latin1')
    }
    if (isCutOff) socket.end()
    return await head
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

function headFrom(socket: Socket, timeoutMs: number): Promise<ResponseHead | undefined> {
  return new Promise((resolve) => {
    let text = ''
    const end = (head: ResponseHead | undefined) => {
      clearTimeout(timer)
      resolve(head)
    }
    // The whole exchange has this time, however slowly bytes arrive.
    const timer = setTimeout(() => end(undefined), timeoutMs)
    socket.on('data', (bytes: Buffer) => {
      text += bytes.toString('latin1')
      // Skips interim responses (RFC 9110 §15.2).
      const statusLine = [...text.matchAll(/(?:^|\r\n\r\n)HTTP\/1\.\d (\d{3})/g)].find(
        ([, code]) => Number(code) >= 200,
      )
      const status = Number(statusLine?.[1])
      const head = text.slice(statusLine?.index).trimStart().split('\r\n\r\n')
      // Only a refused request needs more than the status.
      if (statusLine && (status !== 429 || head.length > 1))
        end({ status, retryAfter: /^retry-after: *(.*)$/im.exec(head[0]!)?.[1] })
      else if (text.length > maxHeadLength) end(undefined)
    })
    // Writing to a closed connection fails; a response before that counts.
    socket.on('error', () => end(undefined))
    socket.on('close', () => end(undefined))
  })
}
