import { connect } from 'node:net'

/** What identifies a connection to the server that is asked to abort its statement. */
export interface CancelTarget {
  readonly host: string
  readonly port: number
  readonly processID: number
  readonly secretKey: number
}

const cancelRequestCode = 80_877_102

/**
 * Asks the server, on a connection of its own, to abort what another one runs. Settles when the
 * server has closed this connection, which it does after it has passed the request on, or when that
 * takes too long. Nothing says whether a statement was aborted.
 */
export function requestCancel(target: CancelTarget, timeoutMs: number): Promise<void> {
  const { host, port, processID, secretKey } = target
  const message = Buffer.alloc(16)
  for (const [index, value] of [16, cancelRequestCode, processID, secretKey].entries())
    message.writeInt32BE(value, 4 * index)
  return new Promise((resolve) => {
    const socket = host.startsWith('/')
      ? connect(`${host}/.s.PGSQL.${port}`)
      : connect({ host, port })
    socket.setTimeout(timeoutMs, () => socket.destroy())
    // `close` follows an error.
    socket.on('error', () => {})
    socket.on('close', () => resolve())
    socket.on('connect', () => socket.write(message))
    socket.resume()
  })
}
