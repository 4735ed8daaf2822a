import { once } from 'node:events'
import { connect } from 'node:net'

const wholeList = 'GET /notes HTTP/1.1\r\nhost: localhost\r\n\r\n'

/**
 * Asks for the whole list, and reads no more than its beginning.
 *
 * @param {number} port
 */
export async function stalledReader(port) {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  await once(socket, 'connect')
  const startedAt = performance.now()
  socket.write(wholeList)
  const [bytes] = await once(socket, 'data')
  const firstByteMs = performance.now() - startedAt
  socket.pause()
  if (!String(bytes).startsWith('HTTP/1.1 200')) throw new Error(`The list was refused: ${bytes}`)
  // It resets the connection, so that nothing of it is left for the next measurement.
  const end = async () => {
    socket.on('error', () => {})
    socket.resetAndDestroy()
    await once(socket, 'close')
  }
  return { firstByteMs, end }
}
