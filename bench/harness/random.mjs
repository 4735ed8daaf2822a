/**
 * Numbers from 0 up to 1 that depend on the seed alone. It is mulberry32: 32 bits of state are
 * enough for test data and simulations, and it needs no dependency.
 *
 * @param {number} seed
 * @returns {() => number}
 */
export function randomOf(seed) {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/**
 * Chooses names as often as their shares say.
 *
 * @param {() => number} random
 * @param {Readonly<Record<string, number>>} shares they may have any sum
 * @returns {() => string}
 */
export function chooser(random, shares) {
  const entries = Object.entries(shares)
  const sum = entries.reduce((total, [, share]) => total + share, 0)
  return () => {
    let rest = random() * sum
    for (const [name, share] of entries) {
      rest -= share
      if (rest < 0) return name
    }
    return /** @type {[string, number]} */ (entries.at(-1))[0]
  }
}
