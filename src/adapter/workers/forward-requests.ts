import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { Transform } from 'node:stream'
import { type ClientConnection, lingerMs } from '../node-connections.ts'
import { isChunked } from '../node-request.ts'

/**
 * Sends the requests of a client to a new worker as they came, and its bytes back to the client as
 * they come. The last request says that the connection closes, so that the end of the responses
 * need not be found.
 *
 * @param upstream a connection to the new worker
 */
export async function forwardRequests(
  connection: ClientConnection,
  upstream: Socket,
): Promise<void> {
  const { socket, currentResponse, pipelined } = connection
  if (socket.destroyed || currentResponse === undefined) return void upstream.destroy()
  // Further requests of the client get no response, as after any response that closes.
  connection.isEnding = true
  const requests = [currentResponse, ...pipelined.splice(0)].map(({ req }) => req)
  passBack(upstream, socket, requests.at(-1)!)
  for (const [index, req] of requests.entries()) {
    upstream.write(headOf(req, index === requests.length - 1), 'latin1')
    if (!(await sendBody(req, upstream))) return
  }
}

/** A response that ends too early ends the connection of the client too early as well. */
function passBack(upstream: Socket, socket: Socket, last: IncomingMessage): void {
  let hasEnded = false
  socket.once('close', () => upstream.destroy())
  upstream.once('end', () => {
    hasEnded = true
    socket.end(() => setTimeout(() => socket.destroy(), lingerMs).unref())
    upstream.end()
  })
  upstream.once('close', (hadError) => {
    // A client that still sends would lose the response to a reset.
    if (hasEnded) last.unpipe().resume()
    // As the new worker has ended it: the end completes a response of HTTP/1.0.
    else if (hadError) socket.resetAndDestroy()
    else socket.destroy()
  })
  upstream.pipe(socket, { end: false })
}

/** What the parser of Node.js takes for a header about the connection. */
const connectionHeaders = new Set(['connection', 'proxy-connection'])

/** The lines that the client has sent. The last request ends the connection, whatever it says. */
function headOf(
  { method, url, httpVersion, rawHeaders }: IncomingMessage,
  isLast: boolean,
): string {
  let head = `${method} ${url} HTTP/${httpVersion}\r\n`
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!
    if (isLast && connectionHeaders.has(name.toLowerCase())) continue
    head += `${name}: ${rawHeaders[index + 1]}\r\n`
  }
  return `${head}${isLast ? 'Connection: close\r\n' : ''}\r\n`
}

/** @returns whether all of it was sent */
async function sendBody(req: IncomingMessage, upstream: Socket): Promise<boolean> {
  const coding = req.headers['transfer-encoding']
  if (coding === undefined && req.headers['content-length'] === undefined) return true
  const sent = coding !== undefined && isChunked(coding) ? req.pipe(chunkedCoding(req)) : req
  sent.pipe(upstream, { end: false })
  const race = new AbortController()
  const { signal } = race
  try {
    const ended = once(sent, 'end', { signal }).then(() => true)
    return await Promise.race([
      ended,
      once(req, 'close', { signal }).then(() => (req.complete ? ended : false)),
      // The new worker wants no more of the body.
      once(upstream, 'close', { signal }).then(() => false),
    ])
  } catch {
    return false
  } finally {
    race.abort()
  }
}

/** The parser has removed the framing (RFC 9112 §7.1). */
function chunkedCoding(req: IncomingMessage): Transform {
  return new Transform({
    transform(chunk: Buffer, _, done) {
      this.push(`${chunk.length.toString(16)}\r\n`)
      this.push(chunk)
      done(null, '\r\n')
    },
    flush(done) {
      const { rawTrailers } = req
      let end = '0\r\n'
      for (let index = 0; index < rawTrailers.length; index += 2)
        end += `${rawTrailers[index]}: ${rawTrailers[index + 1]}\r\n`
      done(null, Buffer.from(`${end}\r\n`, 'latin1'))
    },
  })
}
