import { type Server, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { type Problem, problem } from '../error/problem.ts'
import type { ApiResponse } from '../http/api-response.ts'
import { type ClientConnections, endConnection } from './node-connections.ts'
import { isChunked, unknownTransferCoding } from './node-request.ts'
import { problemResponse } from './problem-response.ts'

/**
 * Why the parser gave up: `rawPacket` and `bytesParsed` say where, when it was a fault in the
 * bytes.
 */
interface ClientError extends Error {
  readonly code?: string
  readonly rawPacket?: Buffer
  readonly bytesParsed?: number
}

/**
 * Answers what never becomes a request: bytes that are not HTTP, unknown methods, heads that are
 * too large or too slow.
 */
export function answerClientErrors(server: Server, connections: ClientConnections): void {
  server.on('clientError', (error: ClientError, stream) => {
    const socket = stream as Socket
    const connection = connections.bySocket.get(socket)
    if (connection === undefined || !socket.writable || error.code === 'ECONNRESET')
      return void socket.destroy()
    const { currentResponse } = connection
    if (currentResponse === undefined) {
      if (!connection.isEnding)
        endConnection(connection, rawResponse(clientErrorResponse(error, currentResponse)))
    } else if (currentResponse.req.complete) {
      connection.finalResponse ??= rawResponse(clientErrorResponse(error, currentResponse))
    } else if (currentResponse.headersSent) socket.destroy()
    else endConnection(connection, rawResponse(clientErrorResponse(error, currentResponse)))
  })
  server.on('connect', (_, stream) => {
    // The parser has let go of the socket, and with it of the duty to hear of its errors.
    stream.on('error', () => stream.destroy())
    const connection = connections.bySocket.get(stream as Socket)
    if (connection === undefined || connection.currentResponse !== undefined)
      return void stream.destroy()
    endConnection(connection, rawResponse(notImplementedResponse('CONNECT')))
  })
}

/** @param current the request whose body the parser gave up on, where its head was read */
function clientErrorResponse(error: ClientError, current: ServerResponse | undefined): ApiResponse {
  const coding = current?.req.headers['transfer-encoding']
  switch (error.code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return problemResponse([problem('request-timeout', 'The request took too long to arrive.')])
    case 'HPE_HEADER_OVERFLOW':
      return malformedResponse('The head of the request is too large.', 431)
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return problemResponse([
        problem('body-too-large', 'The extensions of a chunk are too large.'),
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
  detail = 'The request cannot be read as HTTP/1.1.',
  status = 400,
): ApiResponse {
  return problemResponse([{ ...problem('malformed-request', detail), status }])
}

function notImplementedResponse(method: string): ApiResponse {
  return problemResponse([
    problem('method-not-implemented', `The method '${method}' is not known here.`),
  ])
}

/**
 * Noise that is no method at all, such as a TLS greeting, is malformed rather than not implemented.
 */
function methodIn({ rawPacket, bytesParsed = 0 }: ClientError): string | undefined {
  const text = rawPacket?.toString('latin1', 0, bytesParsed + 64) ?? ''
  const line = text.slice(text.lastIndexOf('\n', bytesParsed - 1) + 1)
  return /^([\w!#$%&'*+.^`|~-]{1,32})(?: |$)/.exec(line)?.[1]
}

/** A whole answer, head included, for a socket without a request. */
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
