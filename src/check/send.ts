import { request as plain } from 'node:http'
import { request as secure } from 'node:https'

/** What a service answered. */
export interface Answer {
  readonly status: number
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

export interface Sending {
  readonly method: string
  /** Sent as it is: a URL would mend what is wrong with it. */
  readonly target: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array | undefined
  /** All that was written, where no HTTP client would write it. */
  readonly raw?: string
}

export class TooSlow extends Error {
  constructor(milliseconds: number) {
    super(`There was no answer within ${milliseconds} ms.`)
  }
}

/** A service at an address. */
export interface Service {
  /** @throws Error when there is no answer in time, or none at all. */
  send(sending: Sending): Promise<Answer>
}

/** @param base the address that the paths of the document stand below */
export function serviceAt(base: URL, timeout: number, always: Readonly<Record<string, string>>): Service {
  const request = base.protocol === 'https:' ? secure : plain
  const prefix = base.pathname.replace(/\/$/, '')
  return {
    send: ({ method, target, headers, body }) =>
      new Promise((resolve, reject) => {
        const sent = request(
          {
            host: base.hostname.replace(/^\[|\]$/g, ''),
            port: base.port,
            method,
            path: prefix + target,
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
        sent.on('timeout', () => sent.destroy(new TooSlow(timeout)))
        sent.on('error', reject)
        sent.end(body)
      }),
  }
}
