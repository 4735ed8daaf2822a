import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** Aborts if the connection closes before the response is completely flushed. */
export function clientSignal(res: ServerResponse): AbortSignal {
  const controller = new AbortController()
  if (res.closed || res.destroyed) abort()
  else res.once('close', abort)
  return controller.signal

  function abort(): void {
    if (isClientGone(res))
      controller.abort(new DOMException('The client has closed its connection.', 'AbortError'))
  }
}

/** Has the connection closed before the response was completely flushed? */
export function isClientGone(res: ServerResponse): boolean {
  return (res.closed || res.destroyed) && !res.writableFinished
}

/** Requests that a test injects into a framework have an object without these functions. */
export function isConnection({ destroy }: Partial<Pick<Socket, 'destroy'>>): boolean {
  return typeof destroy === 'function'
}
