/** What a run found wrong. */
export class Report {
  /** @type {Map<string, number>} */
  #counts = new Map()

  /**
   * The first of each kind are printed.
   *
   * @param {string} kind
   * @param {string} text
   */
  add(kind, text) {
    const count = this.count(kind) + 1
    this.#counts.set(kind, count)
    process.exitCode = 1
    if (count <= 5) console.error(`Wrong, ${kind}: ${text.slice(0, 2_000)}`)
  }

  /** @param {string} kind */
  count(kind) {
    return this.#counts.get(kind) ?? 0
  }
}
