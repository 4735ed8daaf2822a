import { Agent as PlainAgent, request as plain } from 'node:http'
import { Agent as SecureAgent, request as secure } from 'node:https'
import { ConnectionError, ResponseTimeoutError, ResponseTooLargeError } from './response-errors.ts'

/** The response of a service. */
export interface ServiceResponse {
  readonly status: number
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

export interface SentRequest {
  readonly method: string
  /** Sent unchanged; `URL` would normalize it. */
  readonly requestTarget: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array | undefined
  /** The raw text of a request that no HTTP client can send. */
  readonly raw?: string
}

/** Sends requests to a service. */
export interface ServiceClient {
  /** @throws NoResponseError if there is no response in time, or a too large one */
  send(request: SentRequest): Promise<ServiceResponse>
}

export interface ServiceClientOptions {
  /** The time for a whole response, from the request to the last byte. */
  readonly timeoutMs: number
  readonly maxResponseBytes: number
  /** Headers of every request. */
  readonly headers: Readonly<Record<string, string>>
}

export const defaultTimeoutMs = 10_000
export const defaultMaxResponseBytes = 67_108_864

/** A service may close a connection that was idle for longer, while a request is on its way. */
const maxIdleMs = 1_000

/**
 * A client of a service. It sends a safe request once more where the connection fails, and tells
 * whether the service responds to others.
 *
 * @param base the URL of the first server of the document
 */
export function createServiceClient(base: URL, options: ServiceClientOptions): ServiceClient {
  const exchange = exchangeWith(base, options)
  return {
    send: (request) =>
      exchange(request).catch(async (error: unknown) => {
        // Errors of this module are final.
        if (!isConnectionFault(error)) throw error
        if (isSafe(request)) {
          const again = await exchange(request).catch((reason: unknown) => reason)
          if (!(again instanceof Error)) return again as ServiceResponse
        }
        const probe = { method: 'OPTIONS', requestTarget: '/', headers: {} }
        const isAlive = await exchange(probe).then(
          () => true,
          (reason: unknown) => reason instanceof ResponseTooLargeError,
        )
        throw new ConnectionError(request, error, isAlive)
      }),
  }
}

type Exchange = (request: SentRequest) => Promise<ServiceResponse>

function exchangeWith(
  base: URL,
  { timeoutMs, maxResponseBytes, headers: defaultHeaders }: ServiceClientOptions,
): Exchange {
  const isSecure = base.protocol === 'https:'
  const createRequest = isSecure ? secure : plain
  const agent = isSecure
    ? new SecureAgent({ keepAlive: true })
    : new PlainAgent({ keepAlive: true })
  const prefix = base.pathname.replace(/\/$/, '')
  let usedAt = 0
  return (sent) =>
    new Promise((resolve, reject) => {
      const { method, requestTarget, headers, body } = sent
      if (performance.now() - usedAt > maxIdleMs) closeIdle(agent)
      const request = createRequest(
        {
          agent,
          host: base.hostname.replace(/^\[|\]$/g, ''),
          port: base.port,
          method,
          path: prefix + requestTarget,
          headers: {
            ...defaultHeaders,
            ...headers,
            ...(body !== undefined && { 'content-length': Buffer.byteLength(body) }),
          },
        },
        (response) => {
          const chunks: Buffer[] = []
          let length = 0
          response.on('data', (chunk: Buffer) => {
            length += chunk.byteLength
            if (length > maxResponseBytes)
              request.destroy(new ResponseTooLargeError(sent, maxResponseBytes))
            else chunks.push(chunk)
          })
          response.on('error', (error) => settle(() => reject(request.errored ?? error)))
          response.on('end', () =>
            settle(() =>
              resolve({
                status: response.statusCode!,
                headers: response.headers as Readonly<Record<string, string>>,
                body: Buffer.concat(chunks),
              }),
            ),
          )
        },
      )
      const timer = setTimeout(
        () => request.destroy(new ResponseTimeoutError(sent, timeoutMs)),
        timeoutMs,
      )
      const settle = (end: () => void) => {
        clearTimeout(timer)
        usedAt = performance.now()
        end()
      }
      request.on('error', (error) => settle(() => reject(error)))
      request.end(body)
    })
}

/** Sockets that no request uses. */
function closeIdle({ freeSockets }: PlainAgent): void {
  for (const sockets of Object.values(freeSockets))
    for (const socket of sockets ?? []) socket.destroy()
}

function isConnectionFault(error: unknown): error is Error {
  return (
    error instanceof Error &&
    !(error instanceof ResponseTimeoutError) &&
    !(error instanceof ResponseTooLargeError)
  )
}

/** RFC 9110 §9.2.1. */
function isSafe({ method }: SentRequest): boolean {
  return ['GET', 'HEAD', 'OPTIONS', 'TRACE'].includes(method)
}
