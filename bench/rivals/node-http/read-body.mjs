import { Problem } from '../problem.mjs'

const BODY_LIMIT = 1024 * 1024

/**
 * @param {import('node:http').IncomingMessage} request
 * @param {string} mediaType
 * @returns {Promise<unknown>}
 */
export function readBody(request, mediaType = 'application/json') {
  const type = request.headers['content-type']
  if (type !== mediaType && type?.split(';')[0]?.trim().toLowerCase() !== mediaType) {
    throw new Problem(415, `A body is ${mediaType} here.`)
  }
  return new Promise((resolve, reject) => {
    /** @type {Buffer[]} */
    const chunks = []
    let size = 0
    request.on('data', (/** @type {Buffer} */ chunk) => {
      size += chunk.length
      if (size > BODY_LIMIT) {
        request.pause()
        reject(new Problem(413, `A body has at most ${BODY_LIMIT} bytes.`))
      } else chunks.push(chunk)
    })
    request.on('error', reject)
    request.on('end', () => {
      try {
        resolve(
          JSON.parse(
            (chunks.length === 1
              ? /** @type {Buffer} */ (chunks[0])
              : Buffer.concat(chunks)
            ).toString(),
          ),
        )
      } catch {
        reject(new Problem(400, 'The body is not well-formed JSON.'))
      }
    })
  })
}
