import { type Server, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { type Problem, problem } from '../error/problem.ts'
import type { ApiResponse } from '../http/api-response.ts'
import { unknownMethod } from '../http/route-problems.ts'
import { type ClientConnections, endConnection } from './node-connections.ts'
import { isChunked, unknownTransferCoding } from './node-request.ts'
import { problemResponse } from './problem-response.ts'

/** An error of the HTTP parser; for malformed bytes, `bytesParsed` is their position. */
interface ClientError extends Error {
  readonly code?: string
  readonly rawPacket?: Buffer
  readonly bytesParsed?: number
}

/**
 * Responds to bytes that are not HTTP, unknown methods, and heads that are too large or too slow.
 */
export function respondToClientErrors(server: Server, connections: ClientConnections): void {
  server.on('clientError', (error: ClientError, stream) => {
    const socket = stream as Socket
    const connection = connections.bySocket.get(socket)
    if (connection === undefined || error.code === 'ECONNRESET') return void socket.destroy()
    // The parser fails again with each chunk that follows. To destroy the socket now would reset
    // the connection, and the client could lose the response.
    if (connection.isEnding) return
    if (!socket.writable) return void socket.destroy()
    const { currentResponse } = connection
    if (currentResponse === undefined)
      endConnection(connection, rawResponse(clientErrorResponse(error, currentResponse)))
    else if (currentResponse.req.complete) {
      connection.finalResponse ??= rawResponse(clientErrorResponse(error, currentResponse))
    } else if (currentResponse.headersSent) socket.destroy()
    else endConnection(connection, rawResponse(clientErrorResponse(error, currentResponse)))
  })
  server.on('connect', (_, stream) => {
    // The parser has detached from the socket and no longer handles its errors.
    stream.on('error', () => stream.destroy())
    const connection = connections.bySocket.get(stream as Socket)
    if (connection === undefined || connection.currentResponse !== undefined)
      return void stream.destroy()
    endConnection(connection, rawResponse(notImplementedResponse('CONNECT')))
  })
}

/** @param current the response to the request whose body caused the error, if any */
function clientErrorResponse(error: ClientError, current: ServerResponse | undefined): ApiResponse {
  const coding = current?.req.headers['transfer-encoding']
  switch (error.code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return problemResponse([
        problem('request-timeout', 'The request arrived too slowly. Send it again.'),
      ])
    case 'HPE_HEADER_OVERFLOW':
      return malformedResponse(
        'The address and the headers of the request are too large. Send fewer or shorter headers, and a long query with QUERY.',
        431,
      )
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return problemResponse([
        problem(
          'body-too-large',
          'A chunk of the body has too many extensions. Send chunks without extensions.',
        ),
      ])
    case 'HPE_INVALID_TRANSFER_ENCODING':
      return coding === undefined || isChunked(coding)
        ? malformedResponse()
        : problemResponse(unknownTransferCoding(coding).problems as [Problem])
    case 'HPE_INVALID_METHOD': {
      const method = methodIn(error)
      return method === undefined ? malformedResponse() : notImplementedResponse(method)
    }
    default:
      return malformedResponse()
  }
}

function malformedResponse(
  detail = 'The request is not valid HTTP/1.1.',
  status = 400,
): ApiResponse {
  return problemResponse([{ ...problem('malformed-request', detail), status }])
}

function notImplementedResponse(method: string): ApiResponse {
  return problemResponse([unknownMethod(method)])
}

/** The unknown method; undefined for other bytes, such as a TLS handshake, which are malformed. */
function methodIn({ rawPacket, bytesParsed = 0 }: ClientError): string | undefined {
  const text = rawPacket?.toString('latin1', 0, bytesParsed + 64) ?? ''
  const line = text.slice(text.lastIndexOf('\n', bytesParsed - 1) + 1)
  return /^([\w!#$%&'*+.^`|~-]{1,32})(?: |$)/.exec(line)?.[1]
}

/** A response with its head, for a socket without a request. */
function rawResponse({ status, headers, body }: ApiResponse): string {
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
