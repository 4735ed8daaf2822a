import { request as plain } from 'node:http'
import { request as secure } from 'node:https'

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

export class ResponseTimeoutError extends Error {
  constructor(milliseconds: number) {
    super(`No response within ${milliseconds} ms.`)
  }
}

/** Sends requests to a service. */
export interface ServiceClient {
  /** @throws Error if there is no response in time */
  send(request: SentRequest): Promise<ServiceResponse>
}

/** @param base the URL of the first server of the document */
export function createServiceClient(
  base: URL,
  timeoutMs: number,
  defaultHeaders: Readonly<Record<string, string>>,
): ServiceClient {
  const createRequest = base.protocol === 'https:' ? secure : plain
  const prefix = base.pathname.replace(/\/$/, '')
  return {
    send: ({ method, requestTarget, headers, body }) =>
      new Promise((resolve, reject) => {
        const request = createRequest(
          {
            host: base.hostname.replace(/^\[|\]$/g, ''),
            port: base.port,
            method,
            path: prefix + requestTarget,
            headers: {
              ...defaultHeaders,
              ...headers,
              ...(body !== undefined && { 'content-length': Buffer.byteLength(body) }),
            },
            timeout: timeoutMs,
          },
          (response) => {
            const chunks: Buffer[] = []
            response.on('data', (chunk: Buffer) => chunks.push(chunk))
            response.on('error', reject)
            response.on('end', () =>
              resolve({
                status: response.statusCode!,
                headers: response.headers as Readonly<Record<string, string>>,
                body: Buffer.concat(chunks),
              }),
            )
          },
        )
        request.on('timeout', () => request.destroy(new ResponseTimeoutError(timeoutMs)))
        request.on('error', reject)
        request.end(body)
      }),
  }
}
