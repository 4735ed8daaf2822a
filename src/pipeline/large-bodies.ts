import { setTimeout as wait } from 'node:timers/promises'
import { Semaphore } from '../concurrency/semaphore.ts'
import { temporaryRefusal } from '../error/temporary-refusal.ts'
import type { ApiRequest } from '../http/api-request.ts'

/**
 * Bytes of a body whose values may take many times as much memory: from here on few are worked on
 * at a time.
 */
export const largeBodyBytes = 65_536

/** How many large bodies are worked on at a time. */
export const maxLargeBodies = 4

/** How many may wait, each as the bytes that its client sent. */
export const maxWaitingBodies = 200

/**
 * How long one may keep others waiting, in ms. What takes longer waits for others itself, such as
 * an action, or a schema that asks another service, or even this one: it goes on, and the next one
 * begins.
 */
const maxHoldMs = 1_000

const semaphore = new Semaphore(maxLargeBodies)
const releases = new WeakMap<ApiRequest, () => void>()

/**
 * Waits until the body may be read, where it is large. It is to be here as a whole: a client that
 * sends slowly keeps nobody waiting. Small bodies never wait.
 * @throws ApiError `overloaded` where too many wait; the reason of the signal where the client has
 * left
 */
export async function acquireLargeBody(request: ApiRequest, size: number): Promise<void> {
  if (size < largeBodyBytes) return
  if (semaphore.queueLength >= maxWaitingBodies) throw overloaded()
  const leave = await semaphore.acquire(request.signal ?? new AbortController().signal)
  releases.set(request, leave)
  void wait(maxHoldMs, undefined, { ref: false }).then(leave)
}

/** To be called once the request is answered. */
export function releaseLargeBody(request: ApiRequest): void {
  releases.get(request)?.()
}

function overloaded(): Error {
  return temporaryRefusal(
    'overloaded',
    'Too many large bodies wait to be read already; try again in a moment.',
  )
}
