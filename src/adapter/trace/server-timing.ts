import type { RequestStage } from '../../http/request-trace.ts'

/** How long a stage took, with the time of `performance.now()` at its beginning. */
export interface StageTime {
  readonly stage: RequestStage
  readonly startMs: number
  durationMs: number
}

/**
 * The header `Server-Timing` (W3C Server Timing), with the time of each stage, and of all until
 * now, in milliseconds: `store;dur=1.2, total;dur=3.4`. A stage that comes again adds to its time.
 */
export function serverTiming(stages: readonly StageTime[], totalMs: number): string {
  const times = new Map<string, number>()
  for (const { stage, durationMs } of stages) times.set(stage, (times.get(stage) ?? 0) + durationMs)
  times.set('total', totalMs)
  return [...times].map(([name, ms]) => `${name};dur=${ms.toFixed(1)}`).join(', ')
}
