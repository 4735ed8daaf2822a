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
    if (this.#count > maxStrictLines) refuseExtent('limit-exceeded', maxStrictLines, 'items')
    if (this.#bytes > maxStrictBytes) refuseExtent('body-too-large', maxStrictBytes, 'bytes')
  }
}

function refuseExtent(
  code: (typeof strictExtentErrors)[number],
  limit: number,
  unit: 'items' | 'bytes',
): never {
  throw refuse(
    code,
    `A body whose lines are created all or none must have at most ${limit} ${unit}. Send it in parts, or with the preference 'handling=lenient'.`,
    undefined,
    { meta: { limit } },
  )
}
