import {
  type ConcurrencyLimiter,
  type ConcurrencyLimits,
  limitConcurrency,
  limitConcurrencyErrors,
} from '../../concurrency/limit-concurrency.ts'
import type { ErrorCode } from '../../error/catalog.ts'

export const imageLimitErrors: readonly ErrorCode[] = [...limitConcurrencyErrors]

/**
 * For the whole process, however many routers it has: each task holds an original, and decodes up
 * to `maxPixels`.
 */
export const imageLimits: ConcurrencyLimits = Object.freeze({ maxParallel: 2, maxWaiting: 200 })

export const limitImages: ConcurrencyLimiter = limitConcurrency(imageLimits, 'images')
