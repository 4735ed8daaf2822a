import { countedStream, type Progress } from './progress.ts'

/** What this module uses of it; not all platforms declare it. */
interface BrowserRequest {
  readonly upload: { onprogress?: (event: { loaded: number; total: number }) => void }
  readonly status: number
  readonly response: Blob
  responseType: string
  onload?: () => void
  onerror?: () => void
  onabort?: () => void
  open(method: string, url: string): void
  setRequestHeader(name: string, value: string): void
  getAllResponseHeaders(): string
  send(body: Blob): void
  abort(): void
}

const { XMLHttpRequest: BrowserRequest } = globalThis as {
  readonly XMLHttpRequest?: new () => BrowserRequest
}

/**
 * A `fetch` that says how far it has sent a blob. Pages have `XMLHttpRequest` for it; elsewhere the
 * body is a stream, which browsers send over HTTP/2 only.
 */
export function fetchWithProgress(
  onProgress: Progress,
  given: typeof fetch | undefined,
): typeof fetch {
  return (async (url: string, init: RequestInit & { readonly body: Blob }) => {
    if (BrowserRequest && !given) return sendFromPage(new BrowserRequest(), url, init, onProgress)
    const { body } = init
    const stream = countedStream(body.stream() as ReadableStream<Uint8Array>, body.size, onProgress)
    return (given ?? fetch)(url, { ...init, body: stream, duplex: 'half' } as RequestInit)
  }) as typeof fetch
}

function sendFromPage(
  request: BrowserRequest,
  url: string,
  { method, headers, body, signal }: RequestInit & { readonly body: Blob },
  onProgress: Progress,
): Promise<Response> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted()
    request.open(method!, url)
    request.responseType = 'blob'
    for (const [name, value] of Object.entries(headers as Record<string, string>))
      request.setRequestHeader(name, value)
    request.upload.onprogress = ({ loaded, total }) => onProgress(loaded, total)
    request.onerror = () => reject(new TypeError('The connection was lost.'))
    request.onabort = () => reject(signal?.reason)
    request.onload = () => {
      const lines = request.getAllResponseHeaders().trim().split('\r\n')
      const pairs = lines.map((line) => line.split(/: (.*)/, 2) as [string, string])
      resolve(new Response(request.response, { status: request.status, headers: pairs }))
    }
    signal?.addEventListener('abort', () => request.abort(), { once: true })
    request.send(body)
  })
}
