// What an attack is, and the usual variants: one request alone, a hundred at once, aborted ones,
// and ones whose response is never read.

/**
 * @typedef {import('./attacker.mjs').Asked} Asked
 * @typedef {import('./attacker.mjs').Attacker} Attacker
 * @typedef {{ extent: import('./data.mjs').Extent, isQuick: boolean, pictures:
 * import('./pictures.mjs').Pictures }} World
 * @typedef {{ name: string, run: (attacker: Attacker, world: World) => Promise<unknown> }} Attack
 */

/**
 * @param {string} name
 * @param {Attack['run']} run
 * @returns {Attack}
 */
export function attack(name, run) {
  return { name, run }
}

/**
 * One request alone, and a hundred of them at once.
 *
 * @param {string} name
 * @param {Asked | ((world: World, index: number) => Asked)} request
 * @returns {Attack[]}
 */
export function aloneAndTogether(name, request) {
  const requestOf = typeof request === 'function' ? request : () => request
  return [
    attack(name, (attacker, world) => attacker.ask(requestOf(world, 0))),
    attack(`${name} x100`, (attacker, world) =>
      together(100, (index) => attacker.ask(requestOf(world, index + 1))),
    ),
  ]
}

/**
 * The same, and 400 that are aborted.
 *
 * @param {string} name
 * @param {Asked} request
 * @returns {Attack[]}
 */
export function withAborts(name, request) {
  return [
    ...aloneAndTogether(name, request),
    attack(`${name} x400 aborted`, (attacker) =>
      together(400, (index) => attacker.abandon(request, 20 + (index % 50) * 4)),
    ),
  ]
}

/**
 * @template T
 * @param {number} count
 * @param {(index: number) => Promise<T>} run
 */
export function together(count, run) {
  return Promise.all(Array.from({ length: count }, (_, index) => run(index)))
}

/**
 * @param {string} method
 * @param {string} path
 * @param {unknown} value
 * @param {string} mediaType
 * @returns {Asked}
 */
export function sends(method, path, value, mediaType = 'application/json') {
  const body = typeof value === 'string' ? value : JSON.stringify(value)
  return { method, path, body, headers: { 'content-type': mediaType, accept: mediaType } }
}

export const jsonApiType = 'application/vnd.api+json'
export const atomicType = 'application/vnd.api+json;ext="https://jsonapi.org/ext/atomic"'
