/**
 * A queue of what happens later, in the order of time: a binary heap.
 *
 * @template T
 */
export class EventQueue {
  /** @type {{ time: number, value: T }[]} */
  #heap = []

  get size() {
    return this.#heap.length
  }

  /**
   * @param {number} time
   * @param {T} value
   */
  push(time, value) {
    const heap = this.#heap
    const entry = { time, value }
    let index = heap.length
    while (index > 0) {
      const parent = (index - 1) >> 1
      const above = /** @type {{ time: number, value: T }} */ (heap[parent])
      if (above.time <= time) break
      heap[index] = above
      index = parent
    }
    heap[index] = entry
  }

  /** The earliest entry, which is removed; call it only if there is one. */
  shift() {
    const heap = this.#heap
    const first = /** @type {{ time: number, value: T }} */ (heap[0])
    const last = /** @type {{ time: number, value: T }} */ (heap.pop())
    if (heap.length === 0) return first
    let index = 0
    for (;;) {
      let child = 2 * index + 1
      const right = heap[child + 1]
      if (right && right.time < /** @type {{ time: number }} */ (heap[child]).time) child++
      const below = heap[child]
      if (!below || below.time >= last.time) break
      heap[index] = below
      index = child
    }
    heap[index] = last
    return first
  }
}
