import { setTimeout as wait } from 'node:timers/promises'
import { Semaphore } from '../concurrency/semaphore.ts'
import { temporaryRefusal } from '../error/temporary-refusal.ts'
import type { ApiRequest } from '../http/api-request.ts'

/**
 * Bytes of a body whose parsed values may take many times as much memory. Few of these are
 * processed at a time.
 */
export const largeBodyBytes = 65_536

export const maxLargeBodies = 4

/** Bodies that may wait, as the bytes that the client sent. */
export const maxWaitingBodies = 200

/**
 * How long one body may block others, in milliseconds. A request that takes longer may wait for
 * another request to this service, as hooks and asynchronous schemas can. It goes on, and the next
 * body starts.
 */
const maxHoldMs = 10_000

/** The same for the input of an action, which may well send requests to this service. */
export const maxInputHoldMs = 1_000

const semaphore = new Semaphore(maxLargeBodies)
const releases = new WeakMap<ApiRequest, () => void>()

/**
 * Waits until a large body may be parsed. It must have arrived completely, so that slow clients
 * block nobody. Small bodies never wait.
 * @throws ApiError `overloaded` if too many wait; the reason of the signal if the client leaves
 */
export async function acquireLargeBody(
  request: ApiRequest,
  size: number,
  holdMs: number = maxHoldMs,
): Promise<void> {
  if (size < largeBodyBytes) return
  if (semaphore.queueLength >= maxWaitingBodies) throw overloaded()
  const release = await semaphore.acquire({ waiter: request })
  releases.set(request, release)
  void wait(holdMs, undefined, { ref: false }).then(release)
}

/** Call it once the response is made. */
export function releaseLargeBody(request: ApiRequest): void {
  releases.get(request)?.()
}

function overloaded(): Error {
  return temporaryRefusal(
    'overloaded',
    'Too many large request bodies are waiting. Try again later.',
  )
}
