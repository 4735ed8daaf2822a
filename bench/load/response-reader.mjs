// Parses just enough of HTTP/1.1 to find the end of a response: its status, its length or its
// chunks. Bodies are only counted, but for those of errors.

/**
 * @typedef {{ status: number, bytes: number, firstByteAt: number, head: string, error: string }}
 * LoadResponse `bytes` of the body; `firstByteAt` is when the first of them came, 0 for none;
 * `error` is the body of a response from status 400 on
 */

const END_OF_HEAD = Buffer.from('\r\n\r\n')
const END_OF_LINE = Buffer.from('\r\n')
const NOTHING = Buffer.alloc(0)

/** @param {(response: LoadResponse) => void} onResponse */
export function responseReader(onResponse) {
  /** @type {'idle' | 'head' | 'length' | 'chunk-size' | 'chunk' | 'trailer'} */
  let state = 'idle'
  let remaining = 0
  /** @type {Buffer} */
  let rest = NOTHING
  /** @type {LoadResponse} */
  let response = { status: 0, bytes: 0, firstByteAt: 0, head: '', error: '' }

  const finish = () => {
    state = 'idle'
    onResponse(response)
  }

  /** @param {string} head */
  const begin = (head) => {
    response = { status: Number(head.slice(9, 12)), bytes: 0, firstByteAt: 0, head, error: '' }
    if (response.status === 304 || response.status === 204) return finish()
    const length = /\r\ncontent-length: *(\d+)/i.exec(head)
    if (length) {
      remaining = Number(length[1])
      state = 'length'
      if (remaining === 0) finish()
    } else if (/\r\ntransfer-encoding: *chunked/i.test(head)) state = 'chunk-size'
    else throw new Error(`A response has neither a length nor chunks: ${head}`)
  }

  /** @param {number} size */
  const count = (size) => {
    if (response.firstByteAt === 0) response.firstByteAt = performance.now()
    response.bytes += size
    remaining -= size
  }

  /**
   * @param {Buffer} bytes
   * @param {number} position
   * @returns {number} where to go on, or -1 when more bytes are needed
   */
  const step = (bytes, position) => {
    if (state === 'head') {
      const end = bytes.indexOf(END_OF_HEAD, position)
      if (end < 0) return -1
      begin(bytes.toString('latin1', position, end))
      return end + 4
    }
    if (state === 'length' || state === 'chunk') {
      const size = Math.min(remaining, bytes.length - position)
      count(size)
      if (response.status >= 400)
        response.error += bytes.toString('latin1', position, position + size)
      if (remaining === 0) {
        if (state === 'length') finish()
        else state = 'trailer'
      }
      return position + size
    }
    const end = bytes.indexOf(END_OF_LINE, position)
    if (end < 0) return -1
    if (state === 'trailer') state = 'chunk-size'
    else {
      remaining = Number.parseInt(bytes.toString('latin1', position, end), 16)
      if (Number.isNaN(remaining)) throw new Error('A chunk has no size.')
      state = 'chunk'
      if (remaining === 0) {
        // These servers send no trailers: two line ends in a row close the last chunk.
        if (bytes.length < end + 4) {
          state = 'chunk-size'
          return -1
        }
        finish()
        return end + 4
      }
    }
    return end + 2
  }

  return {
    expect() {
      if (state !== 'idle') throw new Error('One request at a time on a connection.')
      state = 'head'
    },
    /** @param {Buffer} incoming */
    read(incoming) {
      const bytes = rest.length === 0 ? incoming : Buffer.concat([rest, incoming])
      rest = NOTHING
      let position = 0
      while (position < bytes.length) {
        if (state === 'idle') throw new Error('The server sent bytes nobody asked for.')
        const next = step(bytes, position)
        if (next < 0) {
          rest = bytes.subarray(position)
          return
        }
        position = next
      }
    },
  }
}
