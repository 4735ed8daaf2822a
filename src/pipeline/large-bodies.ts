import { setTimeout as wait } from 'node:timers/promises'
import { Slots } from '../cache/slots.ts'
import { temporaryRefusal } from '../error/temporary-refusal.ts'
import type { ApiRequest } from '../http/api-request.ts'

/** Bytes of a body whose values may take many times as much memory: from here on few are worked on at a time. */
export const largeBodyBytes = 65_536

/** How many large bodies are worked on at a time. */
export const mostLargeBodies = 4

/** How many may wait, each as the bytes that its client sent. */
export const mostWaitingBodies = 200

/**
 * How long one may keep others waiting, in ms. What takes longer waits for others itself, such as an action, or a schema that asks another service, or
 * even this one: it goes on, and the next one begins.
 */
const longestHold = 1_000

const slots = new Slots(mostLargeBodies)
const held = new WeakMap<ApiRequest, () => void>()

/**
 * Waits until the body may be read, where it is large. It is to be here as a whole: a client that sends slowly keeps nobody waiting. Small bodies never wait.
 * @throws ApiError `overloaded` where too many wait; the reason of the signal where the client has left
 */
export async function largeBodyTurn(request: ApiRequest, size: number): Promise<void> {
  if (size < largeBodyBytes) return
  if (slots.waiting >= mostWaitingBodies) throw tooMany()
  const leave = await slots.enter(request.signal ?? new AbortController().signal)
  held.set(request, leave)
  void wait(longestHold, undefined, { ref: false }).then(leave)
}

/** To be called once the request is answered. */
export function endLargeBody(request: ApiRequest): void {
  held.get(request)?.()
}

function tooMany(): Error {
  return temporaryRefusal('overloaded', 'Too many large bodies wait to be read already; try again in a moment.')
}
