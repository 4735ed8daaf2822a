/** The versions of an item, as the responses of its writers tell them. */
export class Versions {
  /** The version that a write may name. */
  latest
  /** How many writes were answered with success. */
  steps = 0
  /** Versions that two writes have replaced. */
  twice = 0
  #first
  /** What each version was replaced by. @type {Map<string, string>} */
  #next = new Map()

  /** @param {string} first */
  constructor(first) {
    this.#first = first
    this.latest = first
  }

  /**
   * @param {string} replaced what the write has named
   * @param {string} version what it was answered with
   */
  add(replaced, version) {
    this.steps++
    if (this.#next.has(replaced)) this.twice++
    this.#next.set(replaced, version)
    this.latest = version
  }

  /**
   * Do the versions form one chain from the first one, with a step for each write?
   *
   * @param {string} last what the service has in the end
   */
  areOneChain(last) {
    let version = this.#first
    let length = 0
    for (let next = this.#next.get(version); next !== undefined; next = this.#next.get(version)) {
      version = next
      if (++length > this.steps) return false
    }
    return version === last && length === this.steps
  }
}
