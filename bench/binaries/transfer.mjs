// One upload or download, with a minimal client.

import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { request } from 'node:http'
import { setImmediate } from 'node:timers/promises'

const path = '/books/b-1/scan'
const chunk = randomBytes(65_536)
const head =
  '--b\r\nContent-Disposition: form-data; name="scan"; filename="a"\r\nContent-Type: application/x-own\r\n\r\n'
const tail = '\r\n--b--\r\n'

/**
 * @param {number} port
 * @param {number} size
 * @param {'raw' | 'form'} form
 */
export async function upload(port, size, form) {
  const isForm = form === 'form'
  const type = isForm ? 'multipart/form-data; boundary=b' : 'application/x-own'
  const length = size + (isForm ? head.length + tail.length : 0)
  const headers = { 'content-type': type, 'content-length': length }
  const sending = request({ host: '127.0.0.1', port, path, method: 'POST', headers, agent: false })
  const answered = responseOf(sending)
  if (isForm) sending.write(head)
  for (let remaining = size; remaining > 0; remaining -= chunk.length) {
    // A number in each chunk, so that no two files are the same.
    chunk.writeUInt32LE(Math.floor(Math.random() * 2 ** 32))
    if (sending.write(Buffer.from(chunk.subarray(0, remaining)))) continue
    await Promise.race([once(sending, 'drain'), answered])
  }
  sending.end(isForm ? tail : undefined)
  const { status, size: received } = await answered
  if (status !== 200) throw new Error(`An upload got the status ${status}, with ${received} bytes.`)
}

/**
 * @param {number} port
 * @param {number} size
 */
export async function download(port, size) {
  const asking = request({ host: '127.0.0.1', port, path, agent: false })
  const answered = responseOf(asking)
  asking.end()
  const response = await answered
  if (response.status !== 200 || response.size !== size) {
    throw new Error(
      `A download got the status ${response.status}, with ${response.size} of ${size} bytes.`,
    )
  }
  await setImmediate()
}

/**
 * @param {import('node:http').ClientRequest} asking
 * @returns {Promise<{ status: number | undefined, size: number }>}
 */
async function responseOf(asking) {
  const [response] = /** @type {[import('node:http').IncomingMessage]} */ (
    await once(asking, 'response')
  )
  let size = 0
  response.on('data', (part) => {
    size += part.length
  })
  await once(response, 'end')
  return { status: response.statusCode, size }
}
