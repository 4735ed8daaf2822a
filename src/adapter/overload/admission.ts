import { problem } from '../../error/problem.ts'
import type { ApiRequest } from '../../http/api-request.ts'
import type { ApiResponse } from '../../http/api-response.ts'
import { problemResponse } from '../problem-response.ts'
import type { Service } from '../service.ts'
import type { OverloadOptions } from './overload-options.ts'

/** How often it looks how late the event loop is, in milliseconds. */
const sampleMs = 20

/** A single late timer is a garbage collection, or another program that has the processor. */
const lateSamples = 2

/** How much fewer requests are admitted after a late sample, by how late it is. */
const step = 0.05
const maxSteps = 4

/** How much more are admitted after each sample in time: all of them within a second. */
const recovery = 0.04

/** From 0 to 1, fewer scans are admitted; from 1 to 2, fewer of all others. */
const maxPressure = 1.95

/**
 * Refuses requests while the process has more to do than it can: scans first, then others. It
 * admits a share of them, which falls while the event loop is late, so that what it admits is
 * answered soon.
 */
export class Admission {
  readonly #options: Required<OverloadOptions>
  readonly #pendingCount: () => number
  #pressure = 0
  #lateCount = 0
  #scanCredit = 0
  #credit = 0

  /** @param pendingCount how many requests wait for the head of their response */
  constructor(options: Required<OverloadOptions>, pendingCount: () => number) {
    this.#options = options
    this.#pendingCount = pendingCount
  }

  /** False as long as every request is admitted: then nothing else need be asked. */
  isLimiting = false

  /** Notes how late the event loop is, in milliseconds. */
  sample(delayMs: number): void {
    const { maxDelayMs } = this.#options
    const isLate = this.#isLate(delayMs)
    this.#lateCount = isLate ? this.#lateCount + 1 : 0
    if (this.#lateCount >= lateSamples)
      this.#pressure += step * Math.min(maxSteps, Math.max(1, delayMs / maxDelayMs))
    else if (!isLate) this.#pressure -= recovery
    this.#pressure = Math.min(maxPressure, Math.max(0, this.#pressure))
    this.isLimiting = this.#pressure > 0
  }

  /** Is this request admitted? Asked only while the number is limited. */
  admits(request: ApiRequest, service: Service): boolean {
    const mayScan = service.isScan?.(request) === true
    if (mayScan) {
      this.#scanCredit = Math.min(1, this.#scanCredit + Math.max(0, 1 - this.#pressure))
      if (this.#scanCredit < 1) return false
      this.#scanCredit -= 1
      return true
    }
    this.#credit += Math.min(1, 2 - this.#pressure)
    if (this.#credit < 1) return false
    this.#credit -= 1
    return true
  }

  #isLate(delayMs: number): boolean {
    const { maxDelayMs, minPending, maxPending } = this.#options
    const pending = this.#pendingCount()
    return pending > maxPending || (delayMs > maxDelayMs && pending >= minPending)
  }
}

/** Takes samples until it is stopped. */
export function sampleRegularly(admission: Admission): () => void {
  let expected = performance.now() + sampleMs
  const timer = setInterval(() => {
    const now = performance.now()
    admission.sample(Math.max(0, now - expected))
    expected = now + sampleMs
  }, sampleMs)
  timer.unref()
  return () => clearInterval(timer)
}

/** One response for all, because it is sent while there is no time to make others. */
export const overloadedResponse: ApiResponse = problemResponse(
  [
    problem(
      'overloaded',
      'The server has more requests than it can carry out. Send it again later.',
    ),
  ],
  503,
  { 'retry-after': '1' },
)
