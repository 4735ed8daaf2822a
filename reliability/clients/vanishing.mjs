// Clients that are gone in the middle of what they asked for.

import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'

/** Half of a file, of which the other half never comes. */
const half = Buffer.alloc(1_000_000, 'half of a file. ')

/**
 * Every other client closes its connection (FIN), and the others reset it (RST); half of both read
 * slowly, or send slowly, before.
 *
 * @param {number} port
 * @param {number} index
 * @param {string} entryId whose attachment is uploaded
 */
export async function vanish(port, index, entryId) {
  const isUpload = index % 2 === 0
  const resets = index % 4 < 2
  const isSlow = index % 8 < 4
  const socket = connect({ port, host: '127.0.0.1' })
  // A client that is refused is gone too.
  socket.on('error', () => {})
  await once(socket, 'connect')
  await (isUpload ? upload(socket, entryId, isSlow) : list(socket, isSlow))
  if (resets) socket.resetAndDestroy()
  else socket.destroy()
}

/**
 * @param {import('node:net').Socket} socket
 * @param {boolean} isSlow
 */
async function list(socket, isSlow) {
  socket.write('GET /notes HTTP/1.1\r\nhost: localhost\r\n\r\n')
  const [bytes] = await once(socket, 'data')
  if (!String(bytes).startsWith('HTTP/1.1 200')) throw new Error(`A list was refused: ${bytes}`)
  if (!isSlow) return
  // The service waits with what does not fit into the buffers of the system.
  socket.pause()
  await wait(300)
  socket.read(1_000)
  await wait(100)
}

/**
 * @param {import('node:net').Socket} socket
 * @param {string} entryId
 * @param {boolean} isSlow
 */
async function upload(socket, entryId, isSlow) {
  const type = 'content-type: application/octet-stream'
  socket.write(
    `POST /entries/${entryId}/attachment HTTP/1.1\r\nhost: localhost\r\n${type}\r\ncontent-length: ${2 * half.length}\r\n\r\n`,
  )
  const pieces = isSlow ? 4 : 1
  for (let piece = 0; piece < pieces; piece++) {
    const size = half.length / pieces
    const bytes = half.subarray(piece * size, (piece + 1) * size)
    await new Promise((resolve) => socket.write(bytes, resolve))
    if (isSlow) await wait(100)
  }
}
