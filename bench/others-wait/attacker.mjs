// The attacking client. Each request has a connection of its own; all of them are closed when the
// time is over.

import { connect } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { responseReader } from '../load/response-reader.mjs'

/**
 * @typedef {{ method?: string, path: string, headers?: Record<string, string>, body?: string |
 * Uint8Array }} Asked
 * @typedef {{ status: number, head: string, bytes: number, ms: number }} ReceivedResponse
 * @typedef {ReturnType<typeof attackerOf>} Attacker
 */

/**
 * @param {number} port
 * @param {number} mostMs after which every connection is cut
 */
export function attackerOf(port, mostMs) {
  /** @type {Map<string, number>} */
  const outcomes = new Map()
  /** @type {Set<import('node:net').Socket>} */
  const sockets = new Set()
  let isOver = false
  let exchangedBytes = 0

  /** @param {string} outcome */
  const count = (outcome) => void outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)

  const end = () => {
    isOver = true
    for (const socket of sockets) socket.destroy()
  }
  const timer = setTimeout(end, mostMs)

  const socketOf = () => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true })
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    socket.on('error', () => {})
    return socket
  }

  /**
   * Sends a request and reads its response.
   *
   * @param {Asked} request
   * @returns {Promise<ReceivedResponse | undefined>} nothing when the connection was cut
   */
  const sendRequest = (request) => {
    if (isOver) return Promise.resolve(undefined)
    const start = performance.now()
    const socket = socketOf()
    return new Promise((resolve) => {
      let hasResponse = false
      const reader = responseReader((response) => {
        hasResponse = true
        exchangedBytes += response.bytes + bodyLength(request)
        count(outcomeOf(response))
        resolve({ ...response, ms: performance.now() - start })
        socket.destroy()
      })
      reader.expect()
      socket.on('data', (bytes) => {
        try {
          reader.read(bytes)
        } catch {
          count('unreadable')
          resolve(undefined)
          socket.destroy()
        }
      })
      socket.once('close', () => {
        if (!hasResponse) count(isOver ? 'given up' : 'cut off')
        resolve(undefined)
      })
      send(socket, request)
    })
  }

  /**
   * Sends a request, and disconnects after a while.
   *
   * @param {Asked} request
   * @param {number} afterMs
   */
  const abandon = async (request, afterMs) => {
    if (isOver) return
    const socket = socketOf()
    socket.resume()
    send(socket, request)
    await wait(afterMs)
    count('aborted')
    socket.destroy()
  }

  /**
   * Sends a request, and never reads the response.
   *
   * @param {Asked} request
   * @param {number} forMs
   */
  const stall = async (request, forMs) => {
    if (isOver) return
    const socket = socketOf()
    socket.pause()
    send(socket, request)
    await wait(forMs)
    count('stalled')
    socket.destroy()
  }

  return {
    ask: sendRequest,
    abandon,
    stall,
    isOver: () => isOver,
    /** The bytes of bodies: of requests that got responses, and of their responses. */
    exchangedBytes: () => exchangedBytes,
    outcomes: () => Object.fromEntries([...outcomes].sort()),
    end() {
      clearTimeout(timer)
      end()
    },
  }
}

/** @param {{ status: number, head: string }} response */
function outcomeOf({ status, head }) {
  return status === 503 && !/\r\nretry-after:/i.test(head)
    ? '503 without Retry-After'
    : String(status)
}

/** @param {Asked} asked */
const bodyLength = ({ body }) => (body === undefined ? 0 : Buffer.byteLength(body))

/**
 * @param {import('node:net').Socket} socket
 * @param {Asked} asked
 */
function send(socket, { method = 'GET', path, headers = {}, body }) {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  const length =
    body === undefined || 'content-length' in headers
      ? ''
      : `content-length: ${bodyLength({ path, body })}\r\n`
  socket.write(`${method} ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\n${length}${lines.join('')}\r\n`)
  if (body !== undefined) socket.write(body)
}
