import type { BackgroundServices } from '../../background/background-services.ts'
import type { Clock } from '../../context/context.ts'

/** What scheduled jobs need of their router. */
export interface ScheduledJobServices extends BackgroundServices {
  readonly clock: Clock
}
