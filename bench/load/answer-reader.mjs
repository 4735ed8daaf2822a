// Just enough of HTTP/1.1 to know where an answer ends: its status, its length or its chunks.
// Bodies are counted.

/**
 * @typedef {{ status: number, bytes: number, firstByteAt: number, head: string }} Answer
 * `bytes` of the body; `firstByteAt` is when the first of them came, 0 for none
 */

const END_OF_HEAD = Buffer.from('\r\n\r\n')
const END_OF_LINE = Buffer.from('\r\n')
const NOTHING = Buffer.alloc(0)

/** @param {(answer: Answer) => void} onAnswer */
export function answerReader(onAnswer) {
  /** @type {'idle' | 'head' | 'length' | 'chunk-size' | 'chunk' | 'trailer'} */
  let state = 'idle'
  let left = 0
  /** @type {Buffer} */
  let rest = NOTHING
  /** @type {Answer} */
  let answer = { status: 0, bytes: 0, firstByteAt: 0, head: '' }

  const finish = () => {
    state = 'idle'
    onAnswer(answer)
  }

  /** @param {string} head */
  const begin = (head) => {
    answer = { status: Number(head.slice(9, 12)), bytes: 0, firstByteAt: 0, head }
    if (answer.status === 304 || answer.status === 204) return finish()
    const length = /\r\ncontent-length: *(\d+)/i.exec(head)
    if (length) {
      left = Number(length[1])
      state = 'length'
      if (left === 0) finish()
    } else if (/\r\ntransfer-encoding: *chunked/i.test(head)) state = 'chunk-size'
    else throw new Error(`An answer has neither a length nor chunks: ${head}`)
  }

  /** @param {number} size */
  const count = (size) => {
    if (answer.firstByteAt === 0) answer.firstByteAt = performance.now()
    answer.bytes += size
    left -= size
  }

  /**
   * @param {Buffer} bytes
   * @param {number} at
   * @returns {number} where to go on, or -1 when more bytes are needed
   */
  const step = (bytes, at) => {
    if (state === 'head') {
      const end = bytes.indexOf(END_OF_HEAD, at)
      if (end < 0) return -1
      begin(bytes.toString('latin1', at, end))
      return end + 4
    }
    if (state === 'length' || state === 'chunk') {
      const size = Math.min(left, bytes.length - at)
      count(size)
      if (left === 0) {
        if (state === 'length') finish()
        else state = 'trailer'
      }
      return at + size
    }
    const end = bytes.indexOf(END_OF_LINE, at)
    if (end < 0) return -1
    if (state === 'trailer') state = 'chunk-size'
    else {
      left = Number.parseInt(bytes.toString('latin1', at, end), 16)
      if (Number.isNaN(left)) throw new Error('A chunk has no size.')
      state = 'chunk'
      if (left === 0) {
        // The servers here send no trailers: two line ends in a row close the last chunk.
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
      let at = 0
      while (at < bytes.length) {
        if (state === 'idle') throw new Error('The server sent bytes nobody asked for.')
        const next = step(bytes, at)
        if (next < 0) {
          rest = bytes.subarray(at)
          return
        }
        at = next
      }
    },
  }
}
