import { createRequire } from 'node:module'
import { RegistrationError } from '../model/registration-error.ts'
import { BoundedKeys } from './bounded-keys.ts'
import type { RateLimiter } from './rate-limiter.ts'

/** The clients that a limiter in memory tells apart. */
export const defaultMaxKeys = 100_000

const packageName = 'rate-limiter-flexible'

/**
 * A limiter in the memory of the process, with a bounded number of keys.
 * @throws RegistrationError if the package is not installed
 */
export function memoryLimiter(points: number, seconds: number, maxKeys: number): RateLimiter {
  const { RateLimiterMemory } = loadPackage()
  const limiter = new RateLimiterMemory({ points, duration: seconds })
  const keys = new BoundedKeys(maxKeys, seconds * 1_000)
  return {
    points,
    duration: seconds,
    consume: (key, cost) => limiter.consume(keys.bounded(key, Date.now()), cost),
  }
}

function loadPackage(): typeof import('rate-limiter-flexible') {
  try {
    return createRequire(import.meta.url)(packageName)
  } catch (cause) {
    throw new RegistrationError(
      `limit() needs the package '${packageName}'. Run 'npm install ${packageName}'.`,
      { cause },
    )
  }
}
