import type { Progress } from './progress.ts'
import { delay, retryDelayMs } from './retry-delay.ts'
import { fetchWithProgress } from './upload.ts'

/** Where a client sends its requests, and how. */
export interface ClientOptions {
  /** The address of the service with its base path, such as `https://shop.example/api`. */
  readonly url: string
  /**
   * The bearer token of a request; called for each attempt, so it may renew the token. Default:
   * none.
   */
  readonly token?: () => string | undefined | Promise<string | undefined>
  /** Headers of every request, such as `x-api-key`. Default: none. */
  readonly headers?: Readonly<Record<string, string>>
  /** Sends requests. Default: `fetch` of the platform. */
  readonly fetch?: typeof fetch
  /** How often a request is sent again where that is safe. Default: 3. */
  readonly maxRetries?: number
}

/** A request of a client, below its address. */
export interface Outgoing {
  readonly method: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Blob
  readonly signal?: AbortSignal | undefined
  /** How far the body, a blob, is sent. */
  readonly onProgress?: Progress | undefined
}

export type Send = (outgoing: Outgoing) => Promise<Response>

/**
 * Sends requests, and sends them again where that cannot do anything twice: after a 429 or 503 with
 * `Retry-After`, and after a lost connection.
 * @param repeatsWrites does the service repeat the response for an `Idempotency-Key`?
 */
export function createSender(options: ClientOptions, repeatsWrites: boolean): Send {
  const { token, maxRetries = 3 } = options
  const base = options.url.replace(/\/$/, '')
  return async ({ path, headers, signal, onProgress, ...request }) => {
    const isRead = /^(GET|HEAD|QUERY)$/.test(request.method)
    const send = onProgress
      ? fetchWithProgress(onProgress, options.fetch)
      : (options.fetch ?? fetch)
    const hasKey = repeatsWrites && !isRead && typeof request.body !== 'object'
    const isRepeatable = isRead || hasKey
    const sent: Record<string, string> = { ...options.headers, ...headers }
    if (hasKey) sent['idempotency-key'] = `"${randomKey()}"`
    for (let attempt = 0; ; attempt++) {
      const bearer = await token?.()
      if (bearer !== undefined) sent.authorization = `Bearer ${bearer}`
      // Another origin would get the headers and the body.
      const init = { ...request, headers: sent, redirect: 'error', signal: signal ?? null } as const
      const isLast = attempt >= maxRetries
      let delayMs: number | undefined
      try {
        const response = await send(base + path, init)
        const retryAfter = response.headers.get('retry-after')
        // A limit refuses before anything is done; 503 may come later, and 409 while the first
        // request with the key still runs.
        const isRefused =
          response.status === 429 || (isRepeatable && [409, 503].includes(response.status))
        delayMs = retryDelayMs(attempt, retryAfter)
        if (!isRefused || !retryAfter || isLast || delayMs === undefined) return response
        await response.body?.cancel()
      } catch (error) {
        if (signal?.aborted || isLast || !isRepeatable) throw error
        delayMs = retryDelayMs(attempt)!
      }
      await delay(delayMs, signal)
    }
  }
}

/** `crypto.randomUUID` is missing in pages that came over plain HTTP. */
function randomKey(): string {
  return crypto.getRandomValues(new Uint32Array(4)).join('-')
}
