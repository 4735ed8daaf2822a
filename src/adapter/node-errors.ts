import { type Server, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { type Problem, problem } from '../error/problem.ts'
import type { ApiResponse } from '../http/api-response.ts'
import { type Connections, endConnection } from './node-connections.ts'
import { isChunked, unknownTransferCoding } from './node-request.ts'
import { problemResponse } from './problem-response.ts'

/** Why the parser gave up: `rawPacket` and `bytesParsed` say where, when it was a fault in the bytes. */
interface ClientError extends Error {
  readonly code?: string
  readonly rawPacket?: Buffer
  readonly bytesParsed?: number
}

/** Answers what never becomes a request: bytes that are not HTTP, unknown methods, heads that are too large or too slow. */
export function answerClientErrors(server: Server, connections: Connections): void {
  server.on('clientError', (error: ClientError, stream) => {
    const socket = stream as Socket
    const connection = connections.open.get(socket)
    if (connection === undefined || !socket.writable || error.code === 'ECONNRESET') return void socket.destroy()
    const { current } = connection
    if (current === undefined) {
      if (!connection.ending) endConnection(connection, asText(refusal(error, current)))
    } else if (current.req.complete) {
      connection.farewell ??= asText(refusal(error, current))
    } else if (current.headersSent) socket.destroy()
    else endConnection(connection, asText(refusal(error, current)))
  })
  server.on('connect', (_, stream) => {
    // The parser has let go of the socket, and with it of the duty to hear of its errors.
    stream.on('error', () => stream.destroy())
    const connection = connections.open.get(stream as Socket)
    if (connection === undefined || connection.current !== undefined) return void stream.destroy()
    endConnection(connection, asText(notImplemented('CONNECT')))
  })
}

/** @param current the request whose body the parser gave up on, where its head was read */
function refusal(error: ClientError, current: ServerResponse | undefined): ApiResponse {
  const coding = current?.req.headers['transfer-encoding']
  switch (error.code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return problemResponse([problem('request-timeout', 'The request took too long to arrive.')])
    case 'HPE_HEADER_OVERFLOW':
      return malformed('The head of the request is too large.', 431)
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return problemResponse([problem('body-too-large', 'The extensions of a chunk are too large.')])
    case 'HPE_INVALID_TRANSFER_ENCODING':
      return coding === undefined || isChunked(coding)
        ? malformed()
        : problemResponse(unknownTransferCoding(coding).problems as [Problem])
    case 'HPE_INVALID_METHOD': {
      const method = methodAt(error)
      return method === undefined ? malformed() : notImplemented(method)
    }
    default:
      return malformed()
  }
}

function malformed(detail = 'The request cannot be read as HTTP/1.1.', status = 400): ApiResponse {
  return problemResponse([{ ...problem('malformed-request', detail), status }])
}

function notImplemented(method: string): ApiResponse {
  return problemResponse([problem('method-not-implemented', `The method '${method}' is not known here.`)])
}

/** Noise that is no method at all, such as a TLS greeting, is malformed rather than not implemented. */
function methodAt({ rawPacket, bytesParsed = 0 }: ClientError): string | undefined {
  const text = rawPacket?.toString('latin1', 0, bytesParsed + 64) ?? ''
  const line = text.slice(text.lastIndexOf('\n', bytesParsed - 1) + 1)
  return /^([\w!#$%&'*+.^`|~-]{1,32})(?: |$)/.exec(line)?.[1]
}

/** A whole answer, head included, for a socket without a request. */
function asText({ status, headers, body }: ApiResponse): string {
  const text = body.kind === 'text' ? body.text : ''
  const lines = Object.entries({
    date: new Date().toUTCString(),
    ...headers,
    'content-length': Buffer.byteLength(text),
    connection: 'close',
  })
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head}\r\n${text}`
}
