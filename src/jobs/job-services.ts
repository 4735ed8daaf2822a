import type { Router } from '../api/router.ts'
import type { CallerInStore } from '../api/stores-by-caller/store-routers.ts'
import type { BackgroundServices } from '../background/background-services.ts'
import type { ModelRule } from '../rule/rule.ts'
import type { JobModel } from './job-model.ts'
import type { JobSettings } from './job-options.ts'

/** The settings, for work in one store. */
type SettingsInStore = Omit<JobSettings, 'callerOf'> & { readonly callerOf: CallerInStore }

/** What jobs of a router need. */
export interface JobServices extends BackgroundServices {
  readonly respond: Router['respond']
  readonly basePath: string
  urlPrefix(): string
  readonly settings: SettingsInStore
  readonly Job: JobModel
  /** The rule that reads a job. */
  readonly rule: ModelRule
}

/** The media type of a job. */
export function jobMediaType({ rule }: Pick<JobServices, 'rule'>): string {
  return Object.keys(rule.response.contents())[0] ?? 'application/json'
}
