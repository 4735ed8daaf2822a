import { performance } from 'node:perf_hooks'
import type { StartProgress } from '../store/store.ts'
import { aboutSeconds, countOf, formatNumber } from '../text/message-text.ts'

/** How often a line is printed. A shorter start prints none. */
const intervalMs = 5_000

export interface ProgressLinesOptions {
  readonly print: (line: string) => void
  /** In milliseconds. Default: that of the process. */
  readonly now?: () => number
}

/** Prints how far a long start is, with an estimate of the rest of the step. */
export function progressLines({
  print,
  now = () => performance.now(),
}: ProgressLinesOptions): (progress: StartProgress) => void {
  let printedAt = now()
  let step: { readonly name: string; readonly startedAt: number; readonly done: number } | undefined
  return ({ step: name, done, total }) => {
    const time = now()
    if (step?.name !== name) step = { name, startedAt: time, done }
    if (time - printedAt < intervalMs) return
    printedAt = time
    const share = done - step.done
    const rest = share > 0 ? ((time - step.startedAt) / share) * (total - done) : undefined
    const left = rest === undefined ? '' : `, ${aboutSeconds(rest / 1_000)} left`
    print(`${name}: ${formatNumber(done)} of ${countOf(total, 'item')}${left}.`)
  }
}
