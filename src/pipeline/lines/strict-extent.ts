import { refusalsOf } from '../../error/refusals.ts'
import type { RouterLimits } from '../../rule/router-limits.ts'
import type { Line } from './read-lines.ts'

export const strictExtentErrors = ['limit-exceeded', 'body-too-large'] as const

const { refuse } = refusalsOf(strictExtentErrors)

/** How many lines a strict body has, and how many bytes they have. */
export class StrictExtent {
  readonly #limits: RouterLimits
  #count = 0
  #bytes = 0

  constructor(limits: RouterLimits) {
    this.#limits = limits
  }

  /** @throws ApiError above a limit of lines that are carried out all or none */
  add({ size }: Pick<Line, 'size'>): void {
    const { maxStrictLines, maxStrictBytes } = this.#limits
    this.#count++
    this.#bytes += size
    if (this.#count > maxStrictLines)
      throw refuse(
        'limit-exceeded',
        `A body whose lines are created all or none must have at most ${maxStrictLines} items. Send it in parts, or with the preference 'handling=lenient'.`,
        undefined,
        { meta: { limit: maxStrictLines } },
      )
    if (this.#bytes > maxStrictBytes)
      throw refuse(
        'body-too-large',
        `A body whose lines are created all or none must have at most ${maxStrictBytes} bytes. Send it in parts, or with the preference 'handling=lenient'.`,
        undefined,
        { meta: { limit: maxStrictBytes } },
      )
  }
}
