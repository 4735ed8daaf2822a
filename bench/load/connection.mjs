// One keep-alive connection with one request in flight. It is a raw socket, because an HTTP client
// of Node costs more per request than the servers under test, and would be measured instead.

import { connect } from 'node:net'
import { responseReader } from './response-reader.mjs'

/** @typedef {import('./response-reader.mjs').LoadResponse} LoadResponse */

/**
 * @param {number} port
 * @returns {Promise<Connection>}
 */
export function openConnection(port) {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true })
    /** @type {((response: LoadResponse) => void) | undefined} */
    let done
    /** @type {((error: Error) => void) | undefined} */
    let failed = reject
    const reader = responseReader((response) => {
      const then = done
      done = failed = undefined
      then?.(response)
    })
    /** @param {Error} error */
    const fail = (error) => {
      failed?.(error)
      done = failed = undefined
    }
    socket.on('data', (bytes) => {
      try {
        reader.read(bytes)
      } catch (error) {
        socket.destroy(error instanceof Error ? error : new Error(String(error)))
      }
    })
    socket.on('error', fail)
    socket.on('close', () => fail(new Error('The server closed the connection.')))
    socket.once('connect', () => {
      failed = undefined
      /** @type {Connection} */
      const connection = {
        socket,
        send(request, onResponse, onError) {
          // No event of a socket that is closed would end the request.
          if (!socket.writable) return onError(new Error('The server closed the connection.'))
          done = onResponse
          failed = onError
          reader.expect()
          socket.write(request)
        },
        ask(request) {
          return new Promise((onResponse, onError) => connection.send(request, onResponse, onError))
        },
      }
      resolve(connection)
    })
  })
}

/**
 * @typedef {{ socket: import('node:net').Socket, send: (request: string, onResponse: (response:
 * LoadResponse) => void, onError: (error: Error) => void) => void, ask: (request: string) =>
 * Promise<LoadResponse>, }} Connection
 */
