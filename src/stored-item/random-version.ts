import { randomBytes } from 'node:crypto'

let randomPool = Buffer.alloc(0)
let poolOffset = 0

/**
 * A version that is as hard to guess as a hash with a random salt that is not stored. It takes less
 * time.
 */
export function randomVersion(): string {
  if (poolOffset === randomPool.length) {
    randomPool = randomBytes(8_192)
    poolOffset = 0
  }
  poolOffset += 32
  return randomPool.toString('base64url', poolOffset - 32, poolOffset)
}
