import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

export interface RawResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** Did the body end as its headers announce, and not with the connection? */
  readonly isComplete: boolean
}

/** Sends raw bytes and reads responses one by one, for requests that no HTTP client can send. */
export interface RawClient {
  readonly socket: Socket
  send(bytes: string | Uint8Array): void
  /** Reads the next response; with `head`, one without a body. */
  readResponse(how?: { head?: boolean }): Promise<RawResponse>
  /** The received text that no `readResponse` has consumed. */
  unread(): string
  readonly closed: Promise<void>
}

export async function rawClient(port: number): Promise<RawClient> {
  const socket = connect(port, '127.0.0.1')
  let text = ''
  let wake = () => {}
  socket.on('data', (chunk) => {
    text += chunk.toString('latin1')
    wake()
  })
  // A reset counts as the end of the connection.
  socket.on('error', () => {})
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  void closed.then(() => wake())
  await once(socket, 'connect')

  async function until<T>(find: () => T | undefined): Promise<T | undefined> {
    for (;;) {
      const result = find()
      if (result !== undefined || socket.destroyed) return result
      await new Promise<void>((resolve) => {
        wake = resolve
      })
    }
  }

  function cutOff(length: number): string {
    const start = text.slice(0, length)
    text = text.slice(length)
    return start
  }

  async function chunked(): Promise<{ body: string; isComplete: boolean }> {
    let body = ''
    for (;;) {
      const line = await until(() => (text.includes('\r\n') ? text.indexOf('\r\n') : undefined))
      if (line === undefined) return { body, isComplete: false }
      const size = Number.parseInt(text.slice(0, line), 16)
      const complete = await until(() => (text.length >= line + size + 4 ? true : undefined))
      if (!complete) return { body: body + text.slice(line + 2), isComplete: false }
      body += cutOff(line + size + 4).slice(line + 2, -2)
      if (size === 0) return { body, isComplete: true }
    }
  }

  return {
    socket,
    closed,
    unread: () => text,
    send: (bytes) => void socket.write(bytes),
    async readResponse({ head = false } = {}) {
      const end = await until(() =>
        text.includes('\r\n\r\n') ? text.indexOf('\r\n\r\n') : undefined,
      )
      if (end === undefined)
        throw new Error(`The connection closed without a response; received: ${text}`)
      const [statusLine = '', ...lines] = cutOff(end + 4)
        .trimEnd()
        .split('\r\n')
      const headers = Object.fromEntries(
        lines.map((line) => [line.split(':', 1)[0]!.toLowerCase(), textAfterColon(line)]),
      )
      const status = Number(statusLine.split(' ')[1])
      if (head || status < 200 || status === 204 || status === 304)
        return { status, headers, body: '', isComplete: true }
      if (headers['transfer-encoding'] === 'chunked')
        return { status, headers, ...(await chunked()) }
      const length =
        headers['content-length'] === undefined
          ? Number.POSITIVE_INFINITY
          : Number(headers['content-length'])
      await until(() => (text.length >= length ? true : undefined))
      return { status, headers, isComplete: text.length >= length, body: cutOff(length) }
    },
  }
}

function textAfterColon(line: string): string {
  return line.slice(line.indexOf(':') + 1).trim()
}

/** One request on a connection of its own, closed afterwards. */
export async function rawExchange(port: number, bytes: string | Uint8Array): Promise<RawResponse> {
  const client = await rawClient(port)
  try {
    client.send(bytes)
    return await client.readResponse({
      head: typeof bytes === 'string' && bytes.startsWith('HEAD '),
    })
  } finally {
    client.socket.destroy()
  }
}

export function wait(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

/** Polls until the condition holds or the time is over. */
export async function eventually(check: () => boolean, ms = 5_000): Promise<boolean> {
  const deadline = performance.now() + ms
  while (!check() && performance.now() < deadline) await wait(5)
  return check()
}
