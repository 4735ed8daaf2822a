import type { BackgroundServices } from '../../background/background-services.ts'
import type { ModelDescription } from '../../model/model-description.ts'
import type { ChangeLog } from '../../store/change-log.ts'

/** What consumers need of their router. */
export interface ConsumerServices extends BackgroundServices {
  readonly changes: ChangeLog
  /** The models of the router, by name. */
  readonly models: ReadonlyMap<string, ModelDescription>
}
