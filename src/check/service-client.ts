import { request as plain } from 'node:http'
import { request as secure } from 'node:https'

/** What a service answered. */
export interface ServiceResponse {
  readonly status: number
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

export interface SentRequest {
  readonly method: string
  /** Sent as it is: a URL would mend what is wrong with it. */
  readonly requestTarget: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array | undefined
  /** All that was written, where no HTTP client would write it. */
  readonly raw?: string
}

export class ResponseTimeoutError extends Error {
  constructor(milliseconds: number) {
    super(`There was no answer within ${milliseconds} ms.`)
  }
}

/** A service at an address. */
export interface ServiceClient {
  /** @throws Error when there is no answer in time, or none at all. */
  send(sending: SentRequest): Promise<ServiceResponse>
}

/** @param base the address that the paths of the document stand below */
export function createServiceClient(
  base: URL,
  timeout: number,
  always: Readonly<Record<string, string>>,
): ServiceClient {
  const request = base.protocol === 'https:' ? secure : plain
  const prefix = base.pathname.replace(/\/$/, '')
  return {
    send: ({ method, requestTarget, headers, body }) =>
      new Promise((resolve, reject) => {
        const sent = request(
          {
            host: base.hostname.replace(/^\[|\]$/g, ''),
            port: base.port,
            method,
            path: prefix + requestTarget,
            headers: {
              ...always,
              ...headers,
              ...(body !== undefined && { 'content-length': Buffer.byteLength(body) }),
            },
            timeout,
          },
          (answer) => {
            const chunks: Buffer[] = []
            answer.on('data', (chunk: Buffer) => chunks.push(chunk))
            answer.on('error', reject)
            answer.on('end', () =>
              resolve({
                status: answer.statusCode!,
                headers: answer.headers as Readonly<Record<string, string>>,
                body: Buffer.concat(chunks),
              }),
            )
          },
        )
        sent.on('timeout', () => sent.destroy(new ResponseTimeoutError(timeout)))
        sent.on('error', reject)
        sent.end(body)
      }),
  }
}
