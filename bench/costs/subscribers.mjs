import { connect } from 'node:net'
import { get } from '../load/requests.mjs'

const EVENT = '\nevent: update\n'

/**
 * A client that follows the changes of books, and counts them.
 *
 * @param {number} port
 * @returns {Promise<{ events: () => number, close: () => void }>} settles once its stream has begun
 */
export function subscribe(port) {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true })
    let rest = ''
    let count = 0
    let isOpen = false
    socket.on('connect', () =>
      socket.write(get('/api/books/changes', 'accept: text/event-stream\r\n')),
    )
    socket.on('data', (bytes) => {
      const parts = (rest + bytes.toString('latin1')).split(EVENT)
      count += parts.length - 1
      const last = parts.at(-1) ?? ''
      if (!isOpen && last.includes('retry:')) {
        isOpen = true
        resolve({ events: () => count, close: () => socket.destroy() })
      }
      rest = last.slice(-EVENT.length + 1)
      if (isOpen) return
      rest = last
      if (rest.length > 12 && !rest.startsWith('HTTP/1.1 200 ')) reject(new Error(rest))
    })
    socket.on('error', reject)
  })
}
